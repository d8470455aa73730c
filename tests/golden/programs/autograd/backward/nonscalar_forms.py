import torch
x = torch.tensor([[1., 2.], [3., 4.]], requires_grad=True)
y = x ** 2
for g in [torch.ones(2, 2), torch.ones(2), torch.ones(1, 2), torch.ones(2, 1), torch.tensor(1.), 1.0, [1, 1], None,
          torch.ones(2, 2, dtype=torch.int64), torch.ones(2, 2, dtype=torch.bool), torch.ones(2, 2, dtype=torch.complex64),
          [torch.ones(2, 2)], (torch.ones(2, 2),), [torch.ones(2, 2), torch.ones(2, 2)], [None], "ones", {}, torch.ones(2,2).numpy()]:
    x.grad = None
    try:
        y.backward(g, retain_graph=True)
        print("ok", x.grad.tolist(), x.grad.dtype)
    except Exception as e:
        print(type(e).__name__, e)
