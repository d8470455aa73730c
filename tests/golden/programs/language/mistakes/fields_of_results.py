import torch

x = torch.tensor([[3.0, 1.0], [2.0, 5.0]], requires_grad=True)
result = x.max(1)
try:
    torch.topk(x, 1)._fields
except AttributeError as error:
    print(error)
for name in ("values", "indices", "other"):
    try:
        setattr(result, name, 3)
    except AttributeError as error:
        print(name, error)
for name in ("_version", "_base", "shape"):
    try:
        setattr(x, name, 3)
    except AttributeError as error:
        print(name, error)
result.values = x
