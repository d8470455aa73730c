# Sums of stretches, and a few eigenvalues.
import torch
x=torch.tensor([[1.,2],[3,4],[5,6],[5,8]],requires_grad=True)
for r in ("sum","mean","max","min","prod"):
    y=torch.segment_reduce(x,r,lengths=torch.tensor([1,3])); print(r,y); x.grad=None; y.sum().backward(); print(x.grad)
print(torch.segment_reduce(x.detach(),"sum",offsets=torch.tensor([0,1,4]),axis=0, initial=2.))
print(torch.segment_reduce(x.detach(),"mean",offsets=torch.tensor([0,1,4]),axis=0, initial=2.),torch.segment_reduce(x.detach(),"max",offsets=torch.tensor([0,1,4]),axis=0, initial=4.))
print(torch.segment_reduce(x.detach(),"max",lengths=torch.tensor([0,4])),torch.segment_reduce(x.detach(),"mean",lengths=torch.tensor([0,4])))
print(torch.segment_reduce(torch.arange(6.).view(2,3),"sum",lengths=torch.tensor([[1,2],[2,1]]),axis=1))
for f in (lambda: torch.segment_reduce(x,"sum",lengths=torch.tensor([1,2])), lambda: torch.segment_reduce(x,"sum"), lambda: torch.segment_reduce(x,"foo",lengths=torch.tensor([1,3])), lambda:torch.segment_reduce(x.long(),"sum",lengths=torch.tensor([1,3])), lambda: torch.segment_reduce(x,"sum",lengths=torch.tensor([1.,3]))):
    try: print(f())
    except Exception as e: print(type(e).__name__, e)
torch.manual_seed(0)
A = torch.randn(9, 9, dtype=torch.float64); A = A @ A.T + torch.eye(9)
e, v = torch.lobpcg(A, k=2); print(e, torch.allclose(A @ v, v * e, atol=1e-4), v.shape, torch.rand(1))
e, v = torch.lobpcg(A, k=1, largest=False); print(e)
B = torch.diag(torch.arange(1., 10., dtype=torch.float64))
e, v = torch.lobpcg(A, k=2, B=B); print(e, torch.allclose(A @ v, B @ v * e, atol=1e-3))
try: torch.lobpcg(torch.eye(4), k=2)
except Exception as e: print(type(e).__name__, e)
S = A.clone().requires_grad_(); torch.lobpcg(S, k=1)[0].sum().backward(); print(S.grad.diagonal())
