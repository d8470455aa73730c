"""The spectrum of real numbers is symmetric to the last bit, as PyTorch's is."""

from __future__ import annotations

from gradflow.engine.run import run

PROGRAM = """
import torch
x = (torch.arange(36.) ** 2).sin().view(6, 6)
for z in (torch.fft.fft2(x), torch.fft.ifft2(x), torch.fft.fft(x), torch.fft.fftn(x[:3, :5], norm="ortho")):
    print((z.imag == 0).sum().item(), torch.equal(z[0, 1:], z[0, 1:].flip(0).conj()))
x.requires_grad_()
torch.view_as_real(torch.fft.fft2(x))[..., 1].abs().sum().backward()
print(x.grad[0, 0].item())
"""


def test_what_is_its_own_conjugate_is_real() -> None:
    trace = run(PROGRAM)
    assert trace.error is None
    assert trace.stdout == "4 True\n4 True\n12 True\n1 True\n0.0\n"
