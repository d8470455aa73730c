import torch
p = {"a": torch.tensor(2., requires_grad=True), "b": torch.tensor(3., requires_grad=True)}
(p["a"] * p["b"]).backward(inputs=p)
print(p["a"].grad, p["b"].grad)
