import torch, numpy as np
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:250])
for v in ('a',None,1,0,1.5,torch.tensor(True),torch.tensor(1),np.bool_(False),[]):
    t(lambda: torch.set_grad_enabled(v)); print(torch.is_grad_enabled())
    torch.set_grad_enabled(True)
    t(lambda: type(torch.set_grad_enabled(mode=v)).__name__); torch.set_grad_enabled(True)
    t(lambda: type(torch.autograd.set_detect_anomaly(v)).__name__); torch.autograd.set_detect_anomaly(False)
    t(lambda: type(torch.autograd.set_detect_anomaly(True, v)).__name__); torch.autograd.set_detect_anomaly(False)
    def f():
        with torch.set_grad_enabled(v): print('in', torch.is_grad_enabled())
    t(f); torch.set_grad_enabled(True)
t(lambda: torch.set_grad_enabled())
