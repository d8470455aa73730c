import torch

with torch._tensor_str.printoptions(precision=2, threshold=5, edgeitems=2):
    print(torch.arange(10.0) / 3)
print(torch.arange(10.0) / 3, torch._tensor_str.get_printoptions())

scores = torch.tensor([[2.0, -1.0, -4.0]], requires_grad=True)
torch.nn.functional.multi_margin_loss(scores, torch.tensor([0]), p=2).backward()
print(scores.grad)
