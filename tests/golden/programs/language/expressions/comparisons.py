import torch
a = torch.tensor([1., 2., 3.])
b = torch.tensor([3., 2., 1.])
print(a < b, a <= b, a == b, a != b, a > 2, 2 >= a)
print((a == b).any(), (a == a).all(), torch.equal(a, a), torch.allclose(a, a + 1e-9))
print(~(a > 2), (a > 1) & (b > 1), (a > 1) | (b > 1))
