"""Losses as modules: their printed form, their buffers, their values."""
import torch
import torch.nn as nn

weight = torch.tensor([1.0, 2.0, 0.5])
ce = nn.CrossEntropyLoss(weight=weight, ignore_index=2)
print(ce, ce.weight, list(ce.state_dict()), list(ce.parameters()))
logits = torch.tensor([[1.0, 2.0, 0.5], [0.1, 0.2, 0.3]], requires_grad=True)
print(ce(logits, torch.tensor([1, 2])), nn.NLLLoss(reduction="none")(logits.log_softmax(1), torch.tensor([0, 1])))
print(nn.BCEWithLogitsLoss(pos_weight=weight)(logits, torch.ones(2, 3)), nn.KLDivLoss(reduction="batchmean")(logits.log_softmax(1), torch.full((2, 3), 1 / 3)))
a, p, n = torch.tensor([[1.0, 0.0]]), torch.tensor([[0.9, 0.1]]), torch.tensor([[0.0, 1.0]])
print(nn.TripletMarginLoss()(a, p, n), nn.TripletMarginWithDistanceLoss(distance_function=lambda x, y: (x - y).abs().sum(-1))(a, p, n))
print(nn.TripletMarginWithDistanceLoss(), nn.CosineEmbeddingLoss()(a, p, torch.tensor([1])), nn.HuberLoss(delta=0.5)(a, n))
print(nn.CTCLoss()(torch.zeros(4, 1, 3).log_softmax(2), torch.tensor([[1, 2]]), torch.tensor([4]), torch.tensor([2])))
print(nn.MSELoss(size_average=False)(a, n), nn.L1Loss(reduction="sum"), nn.GaussianNLLLoss()(a, n, torch.ones(1, 2)))
ce(logits, torch.tensor([1, 2])).backward()
print(logits.grad)
