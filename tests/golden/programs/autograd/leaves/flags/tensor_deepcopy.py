import torch
import copy
x = torch.tensor([1., 2.], requires_grad=True)
(x * 2).sum().backward()
y = copy.deepcopy(x)
print(y, y.grad, y is x)
y.data[0] = 9
print(x)
copy.deepcopy(x * 2)
