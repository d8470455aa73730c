import torch
x = torch.ones(2, requires_grad=True)
x.name_ = "w"
x.note = [1, 2]
print(x.name_, x.note)
y = x * 2
print(hasattr(y, "note"))
del x.note
print(hasattr(x, "note"))
