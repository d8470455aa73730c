import torch
from torch import nn
loss = nn.CrossEntropyLoss()
logits = torch.tensor([[2., 1., 0.], [0., 1., 2.]], requires_grad=True)
l = loss(logits, torch.tensor([0, 1])); print(l, l.grad_fn)
l.backward(); print(logits.grad)
print(nn.NLLLoss()(logits.log_softmax(1), torch.tensor([0, 1])), nn.CrossEntropyLoss(weight=torch.tensor([1., 2., 1.]))(logits, torch.tensor([0, 1])), nn.CrossEntropyLoss(reduction='none')(logits, torch.tensor([0, 1])))
print(nn.CrossEntropyLoss(label_smoothing=0.1)(logits, torch.tensor([0, 1])), nn.CrossEntropyLoss()(logits, torch.tensor([[1., 0., 0.], [0., 0.5, 0.5]])), nn.CrossEntropyLoss(ignore_index=-1)(logits, torch.tensor([-1, 1])))
for bad in (torch.tensor([0, 3]), torch.tensor([0, 1, 2]), torch.tensor([0., 1.]), torch.tensor([[0], [1]]), torch.tensor([0, 1], dtype=torch.int32), torch.tensor([0, 1], dtype=torch.uint8)):
    try:
        print(loss(logits, bad))
    except (RuntimeError, IndexError, ValueError) as e:
        print(type(e).__name__, e)
print(nn.MSELoss()(torch.ones(2, requires_grad=True), torch.zeros(2)), nn.MSELoss()(torch.ones(2, 1), torch.zeros(2)))
print(nn.BCEWithLogitsLoss()(torch.zeros(2), torch.tensor([0., 1.])), nn.BCELoss()(torch.tensor([0., 1.]), torch.tensor([0., 1.])), nn.BCELoss()(torch.tensor([0., 1.]), torch.tensor([1., 0.])))
print(nn.KLDivLoss()(torch.tensor([0.5]).log(), torch.tensor([0.5])))
nn.BCELoss()(torch.tensor([2.]), torch.tensor([1.]))
