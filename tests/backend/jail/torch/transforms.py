"""Every function of torch.fft, there and back."""

import torch
from torch import fft

x = torch.tensor([1.0, 2.0, -1.0, 0.5, 3.0, 0.0], requires_grad=True)
m = torch.arange(12.0).reshape(3, 4).requires_grad_()
z = torch.complex(m.detach(), m.detach().flip(0))


def same(a, b):
    return torch.allclose(a, b, atol=1e-5)


assert same(fft.ifft(fft.fft(x)).real, x)
assert same(fft.irfft(fft.rfft(x), n=6), x)
assert same(fft.hfft(fft.ihfft(x), n=6), x)
assert same(fft.ifft2(fft.fft2(z)), z)
assert same(fft.irfft2(fft.rfft2(m), s=(3, 4)), m)
assert same(fft.hfft2(fft.ihfft2(m), s=(3, 4)), m)
assert same(fft.ifftn(fft.fftn(z)), z)
assert same(fft.irfftn(fft.rfftn(m), s=(3, 4)), m)
assert same(fft.hfftn(fft.ihfftn(m), s=(3, 4)), m)
assert same(fft.ifftshift(fft.fftshift(x)), x)
assert same(fft.fftfreq(4), torch.tensor([0.0, 0.25, -0.5, -0.25]))
assert same(fft.rfftfreq(4), torch.tensor([0.0, 0.25, 0.5]))
assert torch.stft(x.detach().repeat(4), 8, return_complex=True, window=torch.ones(8)).shape == (5, 13)
fft.fft(x).abs().pow(2).sum().backward()
assert same(x.grad, 12 * x)
