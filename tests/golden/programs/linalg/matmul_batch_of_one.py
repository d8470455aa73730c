import torch
def names(f):
    if f is None:
        return '-'
    return f.name() + '(' + ','.join([names(g) for g, _ in f.next_functions]) + ')'
for sa in [(1,2,3),(1,1,3),(2,2,3),(1,3,3)]:
  for sb in [(1,3,1),(2,3,1),(2,3,2),(1,3,2),(3,3,3)]:
    for ra,rb in ((True,True),(True,False),(False,True)):
        a=torch.arange(1.,1+float(torch.Size(sa).numel())).reshape(sa).requires_grad_(ra); b=torch.arange(float(torch.Size(sb).numel())).reshape(sb).requires_grad_(rb)
        try:
            c=a@b
        except RuntimeError as e:
            print(sa,sb,e); continue
        print(sa,sb,ra,rb,tuple(c.shape),c.is_contiguous(),names(c.grad_fn), c.sum().item())
