import torch
def t(*a, **k):
    try:
        print(torch.testing.assert_close(*a, **k))
    except Exception as e:
        print(type(e).__name__, e)
a = torch.tensor([1., 2.]); 
t(a, a); t(a, a + 1); t(a, a + 1e-7); t(a, a.double()); t(a, a.double(), check_dtype=False); t(a, a[:1]); t(1., 2.); t(1, 1.0); t(1., 1. + 1e-9); t(a, 1.); t(a, [1., 2.]); t([1., 2.], [1., 3.]); t([a, a], [a, a + 1]); t({'a': a}, {'a': a * 2}); t({'a': a}, {'b': a}); t(torch.tensor(1.), torch.tensor(2.)); t(torch.tensor([1, 2]), torch.tensor([1, 3])); t(a, a + 1, rtol=0, atol=0); t(a, a + 1, rtol=0.1); t(a, a + 0.5, rtol=0, atol=1.); t(a, a + 1, msg='custom'); t(a, a + 1, msg=lambda m: 'Head\n' + m); t(torch.tensor([float('nan')]), torch.tensor([float('nan')])); t(torch.tensor([float('nan')]), torch.tensor([float('nan')]), equal_nan=True); t(None, None); t(None, a); t(True, True); t(True, False); t('a', 'a'); t((a,), [a]); t([a], [a, a]); t(torch.tensor([[1., 2.], [3., 4.]]), torch.tensor([[1., 2.], [3., 5.]])); t(torch.tensor([True]), torch.tensor([False])); t(torch.tensor([1+1j]), torch.tensor([1-1j])); t(torch.tensor([0.]), torch.tensor([float('inf')]))
t(torch.tensor([1., 2.], requires_grad=True), a)
from torch.testing import assert_close
assert_close(a, a * 1.1)
