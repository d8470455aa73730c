import torch
def names(f, depth=0):
    if f is None:
        return '-'
    return f.name() + '(' + ','.join([names(g, depth + 1) for g, _ in f.next_functions]) + ')'
shapes=[(2,),(2,2),(3,2,2),(2,3,2,2)]
for turned in (False,True):
  for sa in shapes:
    for sb in shapes:
      for ra,rb in ((True,True),(True,False),(False,True)):
        a=torch.arange(float(torch.Size(sa).numel())).reshape(sa).requires_grad_(ra); b=torch.arange(float(torch.Size(sb).numel())).reshape(sb).requires_grad_(rb)
        if turned:
            if a.ndim<2 or b.ndim<2: continue
            a=a.transpose(-1,-2)
        c=a@b
        print(turned,sa,sb,ra,rb,c._version,tuple(c.shape),c.is_contiguous(),names(c.grad_fn), c.sum().item())
x=torch.ones(2,3,2,requires_grad=True)
def n(t): return t.grad_fn.name() if t.grad_fn else None
print(n(x.transpose(0,1).reshape(12)), n(x[:, :, 0].reshape(6)), n(x[:,0].reshape(4)), n(x.permute(2,0,1).reshape(2,6)), n(x.expand(4,2,3,2).reshape(4,12)), n(x.sum(0,keepdim=True).expand(2,3,2).reshape(2,6)))
print(n(x[:, :1].reshape(2,2)), n(x[:, :1].reshape(4)),n(x[:, :1].flatten()), n(x[:,:1].reshape(2,1,2)), n(x.transpose(0,1).reshape(3,2,2)), n(x.reshape(2,3,2)), n(x.transpose(0,1).reshape(3,2,2,1)))
print(n(x[::1].reshape(-1)), n(x[:1].reshape(6)), n(x[1:].reshape(6)), n(torch.tensor(1.,requires_grad=True).reshape(1)), n(x.mT.reshape(2,2,3)), n(x.mT.flatten()), n(x.mT.flatten(0,1)))
y=torch.ones(3,requires_grad=True)
print(n(y[::2].reshape(2,1)), n(y[::2].flatten()), n(y[::2].reshape(-1)), n(y[::2].reshape(2)), n(y.expand(2,3).reshape(6)), n(y.expand(2,3).reshape(2,3,1)))
