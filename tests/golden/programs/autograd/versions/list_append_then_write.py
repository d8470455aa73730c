import torch
x = torch.ones(2, requires_grad=True)
h = x * 1
states = []
for t in range(3):
    h = h * 2
    states.append(h)
    if t == 1:
        h[0] = 0
print(states)
sum(s.sum() for s in states).backward()
print(x.grad)
