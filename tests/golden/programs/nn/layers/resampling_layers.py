"""Modules that fold, unpool, upsample and shuffle."""
import torch
import torch.nn as nn

x = torch.arange(16.0).reshape(1, 1, 4, 4).requires_grad_()
pool, unpool = nn.MaxPool2d(2, return_indices=True), nn.MaxUnpool2d(2)
out, indices = pool(x)
print(out, indices, unpool(out, indices))
print(unpool, nn.Upsample(scale_factor=2), nn.Upsample(size=(3, 3), mode="bilinear"), nn.UpsamplingNearest2d(scale_factor=2))
print(nn.Upsample(scale_factor=2)(out), nn.UpsamplingBilinear2d(scale_factor=2)(out))
unfold = nn.Unfold(2, stride=2)
columns = unfold(x)
print(unfold, columns.shape, nn.Fold((4, 4), 2, stride=2)(columns).equal(x))
print(nn.LPPool2d(2, 2), nn.LPPool2d(2, 2)(x), nn.LocalResponseNorm(2), nn.ChannelShuffle(2))
print(nn.CircularPad2d(1)(x[:, :, :2, :2]), nn.Softmax2d()(torch.zeros(1, 4, 1, 1)).flatten())
nn.Upsample(scale_factor=2)(out).sum().backward()
print(x.grad)
bag = nn.EmbeddingBag(4, 2, mode="sum")
with torch.no_grad():
    bag.weight.copy_(torch.arange(8.0).reshape(4, 2))
print(bag, bag(torch.tensor([0, 1, 3, 3]), torch.tensor([0, 2])))
