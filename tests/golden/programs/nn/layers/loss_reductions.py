import torch
from torch import nn
import torch.nn.functional as F
p = torch.tensor([[0.1, 0.9], [0.8, 0.2]], requires_grad=True)
for red in ('mean', 'sum', 'none', 'batchmean'):
    for f in (F.mse_loss, F.l1_loss, F.kl_div, F.binary_cross_entropy, F.smooth_l1_loss):
        try: print(f.__name__, red, f(p, torch.full((2, 2), 0.5), reduction=red))
        except Exception as e: print(f.__name__, type(e).__name__, e)
for args in ((torch.tensor([1, 0]),), (torch.tensor([1, 0]), torch.tensor([1., 3.]))):
    print(F.cross_entropy(p, *args), F.nll_loss(F.log_softmax(p, 1), *args))
print(F.cross_entropy(p, torch.tensor([[0.3, 0.7], [1., 0.]]), label_smoothing=0.2), F.cross_entropy(p[0], torch.tensor(1)), F.cross_entropy(p.reshape(1, 2, 2), torch.tensor([[0, 1]])))
a, b, c = torch.tensor([[1., 0.]], requires_grad=True), torch.tensor([[0., 1.]]), torch.tensor([[1., 1.]])
print(F.triplet_margin_loss(a, b, c), F.cosine_embedding_loss(a, b, torch.tensor([-1])), F.margin_ranking_loss(a, b, torch.tensor([1.])), F.hinge_embedding_loss(a, torch.tensor([[1, -1]])), F.cosine_similarity(a, c), F.pairwise_distance(a, b), F.huber_loss(a, b * 5, delta=0.5), F.poisson_nll_loss(a, b), F.gaussian_nll_loss(a, b, torch.ones(1, 2)), F.soft_margin_loss(a, b * 2 - 1), F.multilabel_soft_margin_loss(a, b))
print(nn.CrossEntropyLoss(reduction='sum'), nn.MSELoss(reduction='none'), nn.BCEWithLogitsLoss(pos_weight=torch.tensor(2.)).state_dict(), nn.CrossEntropyLoss(weight=torch.ones(2)).weight, list(nn.CrossEntropyLoss(weight=torch.ones(2)).buffers()))
l = nn.MSELoss(); print(l.reduction, l(a, b).item(), l.training)
F.mse_loss(a, torch.ones(3))
