import torch


def describe(name, t):
    print(name, t, t.requires_grad, t.is_leaf, t.is_inference(), t._base is None)


with torch.inference_mode():
    base = torch.tensor([[0.5, -1.25], [1.5, 0.75]], requires_grad=True)
    flat = base.view(-1)
    row = flat[:2]
    row.mul_(2)
    describe("row", row)
describe("base", base)
describe("flat", flat)
describe("outside", flat[1:])
describe("computed", torch.tan(flat * 0.3).sum())
try:
    flat.add_(1)
except RuntimeError as error:
    print(error)
try:
    flat * torch.ones(4, requires_grad=True)
except RuntimeError as error:
    print(error)
