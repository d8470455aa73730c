import torch
def f(O, **kw):
    w = torch.nn.Parameter(torch.tensor([[1+2j, .5-1j], [.1+.2j, 3.]]).mT); o = O([w], lr=.1, **kw)
    for i in range(3):
        o.zero_grad(); ((w*torch.tensor([1.,1j])-1).abs()**2).sum().backward(); o.step()
    print(O.__name__, kw, w.data, {k: v for k, v in o.state[w].items()})
for O, kw in ((torch.optim.Adam, {}), (torch.optim.AdamW, {}), (torch.optim.SGD, dict(momentum=.9)), (torch.optim.RMSprop, dict(centered=True, momentum=.5)), (torch.optim.Adagrad, {}), (torch.optim.Adadelta, {}), (torch.optim.Adamax, {}), (torch.optim.NAdam, {}), (torch.optim.RAdam, {}), (torch.optim.ASGD, {}), (torch.optim.Rprop, {})):
    try: f(O, **kw)
    except Exception as e: print(O.__name__, type(e).__name__, e)
