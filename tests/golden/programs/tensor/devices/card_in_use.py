import torch

for given in ("cpu", "cuda", None, torch.device("cpu"), 1.5, "meta", torch.device("cuda:2"), -3):
    try:
        card = torch.cuda.device(given)
        print(given, card.idx, card.prev_idx)
        with card:
            w = torch.ones(2, requires_grad=True)
            (w * 3).sum().backward()
            print(w.grad)
    except (RuntimeError, TypeError, ValueError) as error:
        print(given, type(error).__name__, error)
with torch.cuda.device_of(torch.ones(2)) as nothing:
    print(nothing, issubclass(torch.cuda.device_of, torch.cuda.device))
with torch.cuda.device(0):
    print("not here")
