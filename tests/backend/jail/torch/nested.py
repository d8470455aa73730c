import torch

nested = torch.nested.nested_tensor([torch.arange(3.0), torch.arange(2.0)], requires_grad=True)
padded = torch.nested.to_padded_tensor(nested, -1.0)
assert padded.tolist() == [[0.0, 1.0, 2.0], [0.0, 1.0, -1.0]]
(padded * padded).sum().backward()
assert [grad.tolist() for grad in nested.grad.unbind()] == [[0.0, 2.0, 4.0], [0.0, 2.0]]
assert (nested.size(0), nested.dim(), nested.numel(), nested.is_nested) == (2, 2, 5, True)
whole = torch.nested.as_nested_tensor([torch.ones(2, 3), torch.ones(1, 3)])
assert [tuple(part.shape) for part in whole.unbind()] == [(2, 3), (1, 3)]
assert whole.size(2) == 3
assert repr(whole * 2 - whole) == repr(whole)
assert repr(torch.nested.nested_tensor([[1, 2], [3]])) == "nested_tensor([\n  tensor([1, 2]),\n  tensor([3])\n])"
irregular = False
try:
    whole.size(1)
except RuntimeError as error:
    irregular = "irregular" in str(error)
assert irregular
