"""Batch normalisation in training and in evaluation."""
import torch
import torch.nn as nn

torch.manual_seed(0)
bn = nn.BatchNorm1d(2, momentum=0.5)
x = torch.tensor([[1.0, 10.0], [3.0, 30.0]], requires_grad=True)
print(bn(x), bn.running_mean, bn.running_var, bn.num_batches_tracked)
bn.eval()
print([f"{abs(v):.4f}" for v in bn(x).flatten().tolist()])
bn.train()
bn(x).pow(2).sum().backward()
print(bn.weight.grad, bn.bias.grad)
average = nn.BatchNorm1d(2, momentum=None, affine=False)
average(x)
average(x * 3)
print(average.running_mean, list(average.parameters()), average)
try:
    bn(x[:1])
except ValueError as error:
    print(error)
conv, norm = nn.Conv2d(1, 2, 1).eval(), nn.BatchNorm2d(2).eval()
norm.running_mean.fill_(0.5)
z = torch.ones(1, 1, 2, 2)
print(torch.allclose(nn.utils.fuse_conv_bn_eval(conv, norm)(z), norm(conv(z)), atol=1e-6))
