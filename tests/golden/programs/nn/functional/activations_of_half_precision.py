import torch
import torch.nn.functional as F

x = torch.linspace(-3.5, 3.5, 29).half()
w = torch.linspace(-2, 3, 29).half()
for f in [F.selu, F.elu, F.celu, F.hardswish, F.leaky_relu, F.softplus]:
    a = x.clone().requires_grad_()
    y = f(a)
    y.backward(w)
    print(f.__name__, y.detach().tolist(), a.grad.tolist())
for f in [F.mish, F.logsigmoid, F.hardsigmoid]:
    print(f(x).tolist())
