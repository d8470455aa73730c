import torch
from torch import nn
m = nn.BatchNorm1d(2); m(torch.tensor([[1., 2.], [3., 4.]])); print(m.running_mean, m.num_batches_tracked); m.reset_running_stats(); print(m.running_mean, m.running_var, m.num_batches_tracked)
with torch.no_grad(): m.weight.fill_(3.)
m.reset_parameters(); print(m.weight, m.weight._version)
for l in (nn.LayerNorm(2), nn.GroupNorm(1, 2), nn.RMSNorm(2), nn.InstanceNorm1d(2, affine=True), nn.PReLU(2, 0.3)):
    with torch.no_grad():
        for p in l.parameters(): p.add_(2.)
    l.reset_parameters(); print([p.tolist() for p in l.parameters()])
def init_weights(m):
    if hasattr(m, 'reset_parameters'): m.reset_parameters()
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2), nn.PReLU(), nn.LayerNorm(2)); net.apply(init_weights); print(net[0].weight)
x = torch.tensor([[1., 5.], [2., 7.], [3., 9.]])
print(nn.BatchNorm1d(2)(x)); print(nn.BatchNorm1d(2, affine=False)(x)); print(nn.BatchNorm1d(2).double()(x.double()))
print(nn.LayerNorm(3)(x.T), nn.InstanceNorm1d(2)(x.T[None]), nn.GroupNorm(2, 2)(x.T[None]), nn.LayerNorm(2)(x))
print(nn.BatchNorm1d(2)(x.T[None].repeat(2, 1, 1)))
b = nn.BatchNorm2d(1); print(b(torch.arange(9.).reshape(1, 1, 3, 3)), b.running_mean, b.running_var)
torch.manual_seed(0); y = torch.randn(4, 2); print(nn.BatchNorm1d(2)(y)); print(torch.nn.functional.batch_norm(y, None, None, training=True))
