import torch
w = torch.tensor([1., -1.], requires_grad=True)
data = [([1., 2.], 3.), ([2., 0.], 1.)]
loss = 0
for features, target in data:
    loss = loss + (torch.dot(w, torch.tensor(features)) - target) ** 2
print(loss)
loss.backward()
print(w.grad)
