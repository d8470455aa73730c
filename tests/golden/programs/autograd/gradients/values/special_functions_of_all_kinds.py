import torch

x = torch.tensor([0.3, 1.5, 7.25, 30.0], dtype=torch.float64)
for name in ("bessel_j0", "bessel_j1", "bessel_y0", "bessel_y1", "modified_bessel_k0", "scaled_modified_bessel_k1",
             "spherical_bessel_j0", "airy_ai"):
    print(name, getattr(torch.special, name)(x))
n = torch.tensor([0.0, 1.0, 2.0, 5.0], dtype=torch.float64)
for name in ("chebyshev_polynomial_t", "hermite_polynomial_h", "laguerre_polynomial_l", "legendre_polynomial_p"):
    print(name, getattr(torch.special, name)(x / 10, n))
a = torch.tensor([0.5, 2.0, 5.0, 40.0], dtype=torch.float64)
t = x.clone().requires_grad_()
print(torch.igamma(a, t), torch.special.gammaincc(a, t))
print(torch.autograd.grad(torch.igamma(a, t).sum(), t)[0])
print(torch.special.zeta(torch.tensor(3.0), torch.tensor([1.0, 2.5])))
torch.igamma(t, x).sum().backward()
