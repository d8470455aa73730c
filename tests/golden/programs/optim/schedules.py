"""Learning rates from epoch to epoch."""

import torch
from torch import optim
from torch.optim import lr_scheduler as schedules

w = torch.ones(1, requires_grad=True)
makers = [
    lambda o: schedules.StepLR(o, 2, 0.5),
    lambda o: schedules.MultiStepLR(o, [2, 4]),
    lambda o: schedules.ExponentialLR(o, 0.9),
    lambda o: schedules.CosineAnnealingLR(o, 3),
    lambda o: schedules.CosineAnnealingWarmRestarts(o, 2, 2),
    lambda o: schedules.LambdaLR(o, lambda epoch: 0.9**epoch),
    lambda o: schedules.MultiplicativeLR(o, lambda epoch: 0.5),
    lambda o: schedules.LinearLR(o),
    lambda o: schedules.ConstantLR(o),
    lambda o: schedules.PolynomialLR(o, 4),
    lambda o: schedules.SequentialLR(o, [schedules.ConstantLR(o, 0.1, 2), schedules.ExponentialLR(o, 0.9)], [2]),
]
for make in makers:
    optimizer = optim.SGD([w], lr=0.1)
    schedule = make(optimizer)
    rates = []
    for _ in range(8):
        optimizer.step()
        rates.append(optimizer.param_groups[0]["lr"])
        schedule.step()
    print(type(schedule).__name__, [f"{rate:.6f}" for rate in rates], schedule.get_last_lr())
plateau = schedules.ReduceLROnPlateau(optimizer, patience=1)
for loss in (1.0, 0.9, 0.95, 0.95, 0.95, 0.96):
    plateau.step(loss)
    print(f"{optimizer.param_groups[0]['lr']:.6f}")
