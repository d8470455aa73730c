import torch
def T(f):
    try:
        r=f(); print(r if not isinstance(r,torch.Tensor) else (r.tolist(), r.grad_fn.name() if r.grad_fn else None, r.stride(), r._version))
    except Exception as e: print(type(e).__name__, str(e).split('\n')[0])
x=torch.arange(6.).view(2,3)
y=x.clone(); y[0]=y[1]; print(y)
y=x.clone(); y[:,1:]=y[:,:-1].clone(); print(y)
y=x.clone(); y[torch.tensor([0,0])]=torch.tensor([[1.,1,1],[2,2,2]]); print(y)
y=x.clone(); y[[0,1],[1,1]]+=10; print(y)
y=x.clone(); y[y>2]-=y[y>2]; print(y)
w=x.clone().requires_grad_(); y=w*1; y[y>2]*=2; y.sum().backward(); print(w.grad)
w=x.clone().requires_grad_(); y=w*1; y[0,1]+=w[1,1]; y[:,0]=w[:,2]*3; y.sum().backward(); print(w.grad, y.grad_fn.name())
w=x.clone().requires_grad_(); y=w*1; v=y[0]; y[0]=5.; 
T(lambda:v.sum())
w=x.clone().requires_grad_(); y=w.exp(); y[0]=1; T(lambda:y.sum().backward())
w=x.clone().requires_grad_(); y=w*w; z=y*y; y[0]=1; T(lambda:z.sum().backward())
w=x.clone().requires_grad_(); 
T(lambda:w.__setitem__(0,1.)) if 0 else None
try: w[0]=1
except RuntimeError as e: print(e)
try: w.view(6)[0]=1
except RuntimeError as e: print(e)
with torch.no_grad(): w[0]=1
print(w, w._version)
w=x.clone().requires_grad_(); a,b=w.unbind(0); 
try: a+=1
except RuntimeError as e: print(e)
a,b=(w*1).unbind(0)
try: a+=1
except RuntimeError as e: print(e)
p=w[torch.tensor([0,0,1])]; p.sum().backward(); print(w.grad); w.grad=None
p=w[:,[0,0,2]]*torch.tensor([1.,2,3]); p.sum().backward(); print(w.grad); w.grad=None
g,=torch.autograd.grad((w[w>2]**3).sum(),w,create_graph=True); print(g); g.sum().backward(); print(w.grad)
print(x[..., None].shape, x[None, ..., 0].shape, x[:, None].shape, x[0, ..., None, 1].shape)
for r in x: print(r, r._is_view())
print([float(v) for v in x.flatten()], list(x)[0], tuple(x)[1], sum(x), max(x[0]), sorted(x[0]), len(x), 5. in x, 9. in x)
i=iter(x); print(next(i), next(i)); 
try: next(i)
except StopIteration: print('stop')
print(x.index_select(0,torch.tensor([1])), x.take(torch.tensor([0,5])), x.masked_select(x>3))
T(lambda:torch.empty(0)[0]); T(lambda:torch.empty(0).max()); T(lambda:torch.zeros(0,3).sum(0)); T(lambda:torch.zeros(3,0).argmax(1)); T(lambda:torch.cat([torch.empty(0),x])); T(lambda:torch.stack([])); T(lambda:torch.zeros(0).mean()); T(lambda:x[2:].shape); T(lambda:torch.zeros(0,3).t().shape); T(lambda:torch.empty(0).view(-1)); T(lambda:torch.empty(0,2).view(-1,3)); T(lambda:torch.empty(2,0).reshape(-1)) ; T(lambda:torch.empty(2,0).view(0,-1)); T(lambda:torch.empty(0).item()); T(lambda:bool(torch.empty(0))); T(lambda:torch.empty(0).unbind()); T(lambda:list(torch.empty(0))); T(lambda:torch.empty(0,requires_grad=True).sum().backward())
T(lambda:x.storage_offset()); T(lambda:x[1].storage_offset());  T(lambda:x.t().is_contiguous()); T(lambda:x.t().contiguous().stride()); T(lambda:x.expand(2,2,3).stride()); T(lambda:x.is_set_to(x.view(2,3)))
