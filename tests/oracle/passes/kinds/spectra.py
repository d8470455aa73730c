import torch

torch.manual_seed(0)
x = torch.randn(2, 6, requires_grad=True)
for transform in (torch.fft.rfft, torch.fft.rfft2, torch.fft.fft):
    spectrum = transform(x)
    (g,) = torch.autograd.grad((spectrum * spectrum.conj()).real.sum(), x, create_graph=True)
    (g * g).sum().backward()
z = torch.randn(2, 4, dtype=torch.complex64, requires_grad=True)
for size in (6, 7, 2):
    (g,) = torch.autograd.grad(torch.fft.irfft(z, n=size).pow(2).sum(), z, create_graph=True)
    (g * g.conj()).real.sum().backward()
