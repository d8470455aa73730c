import torch
from torch import optim
from torch.optim import lr_scheduler as S
def mk(): return optim.SGD([torch.ones(1, requires_grad=True)], lr=0.5, momentum=0.9)
for f in (lambda o: S.StepLR(o, 2), lambda o: S.MultiStepLR(o, [2, 4], gamma=0.5), lambda o: S.ExponentialLR(o, 0.9), lambda o: S.CosineAnnealingLR(o, 4), lambda o: S.ConstantLR(o), lambda o: S.LinearLR(o), lambda o: S.PolynomialLR(o, 4, 2.), lambda o: S.CosineAnnealingWarmRestarts(o, 2, 2), lambda o: S.CyclicLR(o, 0.1, 1., step_size_up=2), lambda o: S.OneCycleLR(o, 1., total_steps=10), lambda o: S.ReduceLROnPlateau(o), lambda o: S.LambdaLR(o, lambda e: 0.5 ** e), lambda o: S.MultiplicativeLR(o, lambda e: 0.9)):
    o = mk(); s = f(o); print(type(s).__name__, s.state_dict())
    print(o.param_groups[0].keys())
    if not isinstance(s, S.ReduceLROnPlateau): o.step(); s.step(); print(s.state_dict())
    s2 = f(mk()); s2.load_state_dict(s.state_dict()); print(s2.last_epoch, s2._last_lr)
o = mk(); seq = S.SequentialLR(o, [S.ConstantLR(o, 0.1, 2), S.ExponentialLR(o, 0.9)], [2]); print(seq.state_dict())
ch = S.ChainedScheduler([S.ConstantLR(o, 0.1, 2), S.ExponentialLR(o, 0.9)]); print(ch.state_dict())
s = S.StepLR(mk(), 1)
s.optimizer.step(); s.step(); s.step()
print(s.get_last_lr(), s.base_lrs, s.gamma, s.optimizer.param_groups[0]['initial_lr'])
S.StepLR(mk(), 1, 0.5, 3)
