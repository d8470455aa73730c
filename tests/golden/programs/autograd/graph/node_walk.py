import torch
a = torch.tensor(2., requires_grad=True)
b = torch.tensor(3., requires_grad=True)
c = (a * b + a.exp()).log()
def walk(node, depth=0):
    if node is None:
        return
    print("  " * depth + node.name())
    for nxt, i in node.next_functions:
        walk(nxt, depth + 1)
walk(c.grad_fn)
