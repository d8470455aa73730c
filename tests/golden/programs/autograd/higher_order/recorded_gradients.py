"""What create_graph records of the gradient of each function: one function under PyTorch's name."""

import torch
import torch.nn.functional as F

x = torch.linspace(-2, 2, 16, dtype=torch.float64).reshape(1, 1, 4, 4).requires_grad_()
goal = torch.full((1, 1, 4, 4), 0.25, dtype=torch.float64)
kernel = torch.ones(1, 1, 2, 2, dtype=torch.float64, requires_grad=True)
functions = {
    "sigmoid": torch.sigmoid, "tanh": torch.tanh, "leaky_relu": F.leaky_relu, "elu": F.elu, "selu": F.selu, "celu": F.celu,
    "gelu": F.gelu, "softplus": F.softplus, "logsigmoid": F.logsigmoid, "hardtanh": F.hardtanh, "relu6": F.relu6,
    "hardswish": F.hardswish, "hardshrink": F.hardshrink, "softshrink": F.softshrink, "silu": F.silu, "mish": F.mish,
    "threshold": lambda t: F.threshold(t, 0.5, 0.0), "softmax": lambda t: F.softmax(t, 3), "prelu": lambda t: F.prelu(t, kernel[0, 0, 0, :1]),
    "log_softmax": lambda t: F.log_softmax(t, 3), "mse_loss": lambda t: F.mse_loss(t, goal),
    "smooth_l1_loss": lambda t: F.smooth_l1_loss(t, goal), "huber_loss": lambda t: F.huber_loss(t, goal),
    "bce": lambda t: F.binary_cross_entropy(t.sigmoid(), goal), "soft_margin_loss": lambda t: F.soft_margin_loss(t, goal),
    "nll_loss": lambda t: F.nll_loss(t[0, 0], torch.tensor([0, 1, 2, 3])), "avg_pool2d": lambda t: F.avg_pool2d(t, 2),
    "max_pool2d": lambda t: F.max_pool2d(t, 2), "adaptive_avg_pool2d": lambda t: F.adaptive_avg_pool2d(t, 2),
    "max_pool1d": lambda t: F.max_pool1d(t[0], 2), "reflect": lambda t: F.pad(t, (1, 1, 1, 1), mode="reflect"),
    "layer_norm": lambda t: F.layer_norm(t, (4,)), "batch_norm": lambda t: F.batch_norm(t, None, None, training=True),
    "conv2d": lambda t: F.conv2d(t, kernel), "conv_transpose2d": lambda t: F.conv_transpose2d(t, kernel),
}
for name, function in functions.items():
    grad, = torch.autograd.grad((function(x) * torch.ones_like(function(x)).cumsum(-1)).sum(), x, create_graph=True)
    print(name, grad.grad_fn.name(), grad.requires_grad)
    second, = torch.autograd.grad((grad * goal.cumsum(-1)).sum(), x, allow_unused=True)
    if second is not None:
        print(f"{(second * goal.cumsum(-2)).sum().abs().item() + 1:.6f}")
for function in (F.hardsigmoid, lambda t: F.multi_margin_loss(t[0, 0], torch.tensor([0, 1, 2, 3]))):
    grad, = torch.autograd.grad(function(x).sum(), x, create_graph=True)
    print(grad.grad_fn.name())
    try:
        grad.sum().backward()
    except RuntimeError as error:
        print(error)
print(x.sigmoid().sum(), torch.autograd.grad(torch.sigmoid(x).sum(), x, create_graph=True)[0])
saved = x.detach().clone().requires_grad_()
line = saved * 1
loss = F.avg_pool2d(line, 2).sum()
line.add_(1)
try:
    loss.backward()
except RuntimeError as error:
    print(error)
