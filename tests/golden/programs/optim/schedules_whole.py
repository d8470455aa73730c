import torch
from torch import optim
from torch.optim import lr_scheduler as S
def attempt(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, str(e))
def go(make, n=6, **kw):
    p = torch.ones(1, requires_grad=True); o = optim.SGD([p], lr=1.0, momentum=0.9)
    s = make(o)
    out = []
    for i in range(n):
        o.step(); out.append(round(o.param_groups[0]['lr'], 6)); s.step()
    print(type(s).__name__, out, s.get_last_lr(), s.last_epoch)
    print({k: v for k, v in s.state_dict().items() if not k.startswith('_') and not callable(v)})
for mk in (lambda o: S.StepLR(o, 2), lambda o: S.MultiStepLR(o, [2, 4], gamma=0.5), lambda o: S.ExponentialLR(o, 0.9), lambda o: S.CosineAnnealingLR(o, 4), lambda o: S.LambdaLR(o, lambda e: 1 / (e + 1)), lambda o: S.MultiplicativeLR(o, lambda e: 0.95), lambda o: S.ConstantLR(o), lambda o: S.LinearLR(o), lambda o: S.PolynomialLR(o, 4, 2.), lambda o: S.CosineAnnealingWarmRestarts(o, 2, 2), lambda o: S.CyclicLR(o, 0.1, 1., step_size_up=2), lambda o: S.OneCycleLR(o, 1., total_steps=10),
           lambda o: S.SequentialLR(o, [S.ConstantLR(o, 0.1, 2), S.ExponentialLR(o, 0.9)], [2]), lambda o: S.ChainedScheduler([S.ConstantLR(o, 0.1, 2), S.ExponentialLR(o, 0.9)])):
    attempt(lambda: go(mk))
p = torch.ones(1, requires_grad=True); o = optim.SGD([p], lr=1.0)
s = S.ReduceLROnPlateau(o, patience=1, factor=0.5)
for v in (1., 1., 1., 1., 1., 0.5): s.step(v); print(o.param_groups[0]['lr'], s.num_bad_epochs, s.best)
attempt(lambda: S.ReduceLROnPlateau(o, mode='foo'))
attempt(lambda: S.ReduceLROnPlateau(o, factor=2.))
attempt(lambda: S.ReduceLROnPlateau(o).step())
attempt(lambda: S.StepLR(o, 2, last_epoch=3))
attempt(lambda: S.StepLR(3, 2))
attempt(lambda: S.StepLR(o))
attempt(lambda: S.MultiStepLR(o, [3, 1]))
attempt(lambda: S.LambdaLR(o, [lambda e: 1, lambda e: 2]))
attempt(lambda: S.OneCycleLR(o, 1.))
attempt(lambda: S.OneCycleLR(o, 1., total_steps=-1))
attempt(lambda: S.CyclicLR(o, 0.1, 1.))
attempt(lambda: S.CyclicLR(o, 0.1, 1., mode='foo', cycle_momentum=False))
attempt(lambda: S.CosineAnnealingWarmRestarts(o, 0))
attempt(lambda: S.ConstantLR(o, factor=2.))
attempt(lambda: S.LinearLR(o, start_factor=2.))
attempt(lambda: S.SequentialLR(o, [], []))
attempt(lambda: S.ChainedScheduler([]))
attempt(lambda: S.StepLR(o, 2, verbose=True))
o2 = optim.SGD([torch.ones(1, requires_grad=True)], lr=1.)
s2 = S.StepLR(o2, 1); s2.step(); o2.step(); s2.step()
print(s2.get_last_lr())
attempt(lambda: s2.get_lr())
s2.step(5); print(o2.param_groups[0]['lr'])
