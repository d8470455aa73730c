import torch
rows = torch.arange(1., 4.).unsqueeze(1).requires_grad_()
cols = torch.arange(1., 5., requires_grad=True)
table = rows * cols
print(table)
table.sum().backward()
print(rows.grad)
print(cols.grad)
