import torch

w = torch.ones(1, requires_grad=True)
for betas in (0.9, (0.9,), [0.9, 0.99], (0.9, 0.99, 0.999), None, (1.5,), (0.9, 1.0)):
    for make in (torch.optim.Adam, torch.optim.NAdam, torch.optim.Adamax):
        try:
            print(type(make([w], betas=betas)).__name__)
        except Exception as error:
            print(type(error).__name__, error)
