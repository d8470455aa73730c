import torch
x = torch.ones(2, requires_grad=True)
handles = []
def hook(g):
    print("called")
    handles[0].remove()
    return g + 1
handles.append(x.register_hook(hook))
for _ in range(2):
    (x * 2).sum().backward()
    print(x.grad)
