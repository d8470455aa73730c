"""Alignments of targets with sequences: the cost, its reductions, its gradient through log_softmax."""

import torch
import torch.nn.functional as F

torch.manual_seed(0)
scores = torch.randn(6, 3, 5, requires_grad=True)
targets = torch.tensor([[1, 2, 2], [3, 1, 0], [4, 4, 4]])
steps, lengths = torch.tensor([6, 5, 4]), torch.tensor([3, 2, 3])
loss = F.ctc_loss(scores.log_softmax(2), targets, steps, lengths)
print(loss)
loss.backward()
print(scores.grad)
for options in ({"reduction": "sum"}, {"reduction": "none"}, {"reduction": "none", "zero_infinity": True}, {"blank": 4}):
    print(options, F.ctc_loss(scores.log_softmax(2), targets, steps, lengths, **options))
joined = torch.tensor([1, 2, 2, 3, 1, 4, 4, 4])
print(F.ctc_loss(scores.double().log_softmax(2), joined, (6, 5, 4), (3, 2, 3)))
single = torch.randn(4, 3, requires_grad=True)
print(F.ctc_loss(single.log_softmax(1), torch.tensor([1, 2]), torch.tensor([4]), torch.tensor([2]), reduction="none"))
first, = torch.autograd.grad(F.ctc_loss(scores.log_softmax(2), targets, steps, lengths), scores, create_graph=True)
try:
    first.sum().backward()
except RuntimeError as error:
    print(error)
for change in (
    {"blank": 9}, {"input_lengths": torch.tensor([7, 5, 4])}, {"target_lengths": torch.tensor([3, 2, 4])},
    {"input_lengths": torch.tensor([6, 5])}, {"targets": joined[:5]}, {"reduction": "average"}, {"targets": [1, 2]},
):
    given = {"targets": targets, "input_lengths": steps, "target_lengths": lengths} | change
    try:
        F.ctc_loss(scores.log_softmax(2), **given)
    except Exception as error:
        print(type(error).__name__, error)
