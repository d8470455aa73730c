"""The schedules that change every step, and schedules of schedules."""
import torch
from torch.optim import lr_scheduler as S


def rates(make, steps=8, **settings):
    w = torch.nn.Parameter(torch.ones(1))
    w.grad = torch.ones(1)
    optimizer = torch.optim.SGD([w], lr=0.1, **settings)
    schedule = make(optimizer)
    seen = [schedule.get_last_lr()[0]]
    for _ in range(steps):
        optimizer.step()
        schedule.step()
        seen.append(schedule.get_last_lr()[0])
    print(type(schedule).__name__, [f"{v:.5f}" for v in seen], optimizer.param_groups[0]["momentum"])
    return schedule


rates(lambda o: S.OneCycleLR(o, max_lr=0.5, total_steps=8), momentum=0.9)
rates(lambda o: S.OneCycleLR(o, 0.5, epochs=2, steps_per_epoch=5, three_phase=True, anneal_strategy="linear"), momentum=0.9)
rates(lambda o: S.CyclicLR(o, 0.01, 0.1, step_size_up=3), momentum=0.9)
rates(lambda o: S.CyclicLR(o, 0.01, 0.1, 2, mode="exp_range", gamma=0.9, cycle_momentum=False))
rates(lambda o: S.ChainedScheduler([S.ConstantLR(o, 0.1, 2), S.ExponentialLR(o, 0.9)]))
rates(lambda o: S.SequentialLR(o, [S.LinearLR(o, 0.1, 1.0, 3), S.ExponentialLR(o, 0.9)], [3]))
print(rates(lambda o: S.StepLR(o, 3)).state_dict())
print(rates(lambda o: S.LambdaLR(o, lambda e: 0.5**e)).state_dict())
optimizer = torch.optim.SGD([torch.nn.Parameter(torch.ones(1))], lr=0.1)
for make in (
    lambda: S.OneCycleLR(optimizer, 1.0), lambda: S.OneCycleLR(torch.optim.Adagrad([torch.nn.Parameter(torch.ones(1))]), 1, total_steps=3),
    lambda: S.LinearLR(optimizer, 2.0), lambda: S.ConstantLR(optimizer, 2.0), lambda: S.CosineAnnealingWarmRestarts(optimizer, 0),
    lambda: S.ReduceLROnPlateau(optimizer, factor=1.0), lambda: S.SequentialLR(optimizer, [], []), lambda: S.StepLR(3, 1),
    lambda: S.ChainedScheduler([]), lambda: S.CyclicLR(optimizer, 1, 2, mode="z"),
):
    try:
        make()
    except Exception as error:
        print(type(error).__name__, error)
early = S.StepLR(torch.optim.SGD([torch.nn.Parameter(torch.ones(1))], lr=0.1), 1)
early.step()
print(early.get_last_lr(), early.get_lr())
