import torch
def T(f):
    try:
        r=f(); print(r if not isinstance(r,torch.Tensor) else (r.tolist(), r.grad_fn.name() if r.grad_fn else None, r.stride(), r._version))
    except Exception as e: print(type(e).__name__, str(e).split('\n')[0])
x=torch.arange(6.).view(2,3); w=x.clone().requires_grad_()
T(lambda:torch.swapaxes(x,axis0=0,axis1=1)); T(lambda:torch.swapdims(x,dim0=0,dim1=1)); T(lambda:x.swapaxes(axis0=0,axis1=1)); T(lambda:torch.moveaxis(x,source=0,destination=1)); T(lambda:torch.isin(element=1,test_elements=torch.tensor([1,2]))); T(lambda:torch.isin(torch.tensor([1]),1)); T(lambda:torch.bitwise_and(3,torch.tensor([1,2]))); T(lambda:torch.pow(self=2,exponent=x) ); T(lambda:torch.where(x>1,x,0.)); T(lambda:torch.where(x>1)); T(lambda:torch.where(condition=x>1,self=1.,other=x)); T(lambda:torch.bucketize(1.5,torch.tensor([1.,2.]))); T(lambda:torch.searchsorted(torch.tensor([1.,2.]),1.5)); T(lambda:torch.remainder(5,torch.tensor([3.])));T(lambda:torch.xlogy(2.,x)); T(lambda:torch.float_power(2,x))
# storage-sharing views & version
a=torch.zeros(2,3); b=a.t(); c=b[0]; c+=1; print(a,a._version,b._version,c._version)
a=torch.zeros(4); a.resize_(2,2).t_(); print(a.shape,a.stride(),a._version)
a=torch.zeros(2,3,requires_grad=True); 
for f in (lambda:a.t_(),lambda:a.squeeze_(),lambda:a.unsqueeze_(0),lambda:a.transpose_(0,1),lambda:a.fill_diagonal_(1),lambda:a.index_fill_(0,torch.tensor([0]),1.),lambda:a.index_add_(0,torch.tensor([0]),torch.ones(1,3)),lambda:a.index_copy_(0,torch.tensor([0]),torch.ones(1,3)),lambda:a.masked_fill_(a>1,0.),lambda:a.masked_scatter_(a>1,torch.ones(6)),lambda:a.put_(torch.tensor([0]),torch.ones(1)),lambda:a.scatter_(0,torch.tensor([[0]]),1.),lambda:a.scatter_add_(0,torch.tensor([[0]]),torch.ones(1,1)),lambda:a.tril_(),lambda:a.triu_(),lambda:a.zero_(),lambda:a.fill_(1),lambda:a.copy_(torch.ones(2,3)),lambda:a.set_(torch.ones(1)),lambda:a.resize_(1),lambda:a.index_put_((torch.tensor([0]),),torch.ones(3)),lambda:a.scatter_reduce_(0,torch.tensor([[0]]),torch.ones(1,1),'sum'),lambda:a.index_reduce_(0,torch.tensor([0]),torch.ones(1,3),'prod')): T(f)
def g(f):
    y=w*1; v=y[0] if False else y
    r=f(y); return r
for f in (lambda y:y.t_(),lambda y:y.fill_diagonal_(1),lambda y:y.index_fill_(0,torch.tensor([0]),1.),lambda y:y.index_fill_(0,torch.tensor([0]),torch.tensor(1.)),lambda y:y.index_add_(0,torch.tensor([0]),torch.ones(1,3)),lambda y:y.index_copy_(0,torch.tensor([0]),torch.ones(1,3)),lambda y:y.masked_fill_(y>1,0.),lambda y:y.masked_fill_(y>1,torch.tensor(0.)),lambda y:y.masked_scatter_(y>1,torch.ones(6)),lambda y:y.put_(torch.tensor([0]),torch.ones(1)),lambda y:y.put_(torch.tensor([0]),torch.ones(1),accumulate=True),lambda y:y.scatter_(0,torch.tensor([[0]]),1.),lambda y:y.scatter_(0,torch.tensor([[0]]),torch.ones(1,1)),lambda y:y.scatter_(0,torch.tensor([[0]]),2.,reduce='add'),lambda y:y.scatter_add_(0,torch.tensor([[0]]),torch.ones(1,1)),lambda y:y.tril_(),lambda y:y.zero_(),lambda y:y.fill_(1),lambda y:y.fill_(torch.tensor(1.)),lambda y:y.scatter_reduce_(0,torch.tensor([[0]]),torch.ones(1,1),'sum'),lambda y:y.scatter_reduce_(0,torch.tensor([[0]]),torch.ones(1,1),'amax',include_self=False),lambda y:y.index_reduce_(0,torch.tensor([0]),torch.ones(1,3),'prod'),lambda y:y.swapaxes_(0,1),lambda y:y.swapdims_(0,1),lambda y:y.detach_(),lambda y:y.squeeze_(0),lambda y:y.as_strided_((2,),(1,)),lambda y:y[0].t_(),lambda y:y[0].fill_(2),lambda y:y[:,1].zero_(),lambda y:y.view(-1).mul_(2),lambda y:y.t()[0].add_(1),lambda y:y.diagonal().fill_(3),lambda y:y.unbind(0)[0].mul_(2),lambda y:y.chunk(2)[0].mul_(2),lambda y:y.split(1)[0].mul_(2),lambda y:y.unfold(0,1,1).mul_(2),lambda y:y.expand(3,2,3).mul_(2),lambda y:y.narrow(0,0,1).mul_(2),lambda y:y.select(0,0).mul_(2),lambda y:y.permute(1,0).mul_(2),lambda y:y.squeeze().mul_(2),lambda y:y.unsqueeze(0).mul_(2),lambda y:y.flatten().mul_(2),lambda y:y.reshape(-1).mul_(2),lambda y:y.movedim(0,1).mul_(2),lambda y:y.view_as(y).mul_(2),lambda y:y.detach().mul_(2),lambda y:y.contiguous().mul_(2),lambda y:y.ravel().mul_(2),lambda y:y.unflatten(1,(3,1)).mul_(2),lambda y:y.tensor_split(2)[0].mul_(2),lambda y:y.hsplit(3)[0].mul_(2),lambda y:y.swapaxes(0,1).mul_(2),lambda y:y.mT.mul_(2),lambda y:y.T.mul_(2),lambda y:y.adjoint().mul_(2),lambda y:torch.atleast_3d(y).mul_(2),lambda y:torch.broadcast_to(y,(1,2,3)).mul_(2)): T(lambda:g(f))
z=torch.tensor([1+2j,3-1j],requires_grad=True)
for f in (lambda:z.real,lambda:z.imag,lambda:torch.view_as_real(z),lambda:z.abs(),lambda:z.angle(),lambda:torch.real(z),lambda:z.clone().real.mul_(2) if 0 else 1): T(f)
for f in (torch.unique,torch.unique_consecutive): T(lambda:f(torch.tensor([3.,1,1,2],requires_grad=True)))
T(lambda:torch.sort(w,dim=1,descending=True,stable=True)[0]); T(lambda:torch.topk(w,2)[0]); T(lambda:w.sort(0)[0]); T(lambda:torch.msort(w)); T(lambda:w.argsort()); T(lambda:torch.kthvalue(w,2)[0]); T(lambda:w.max(0)[0]); T(lambda:torch.cummax(w,0)[0]); T(lambda:w.mode()[0]); T(lambda:w.median(0)[0])
T(lambda:torch.nonzero(x,as_tuple=True)); T(lambda:x.nonzero_static(size=3)); T(lambda:torch.combinations(torch.tensor([1.,2,3]))); T(lambda:torch.cartesian_prod(torch.tensor([1,2]),torch.tensor([3,4]))); T(lambda:[t.tolist() for t in torch.meshgrid(torch.tensor([1,2]),torch.tensor([3]),indexing='ij')])
def fd(shape,*a):
    def f():
        y=torch.zeros(shape); return y.fill_diagonal_(*a)
    return f
T(fd((3,2),1)); T(fd((7,2),1,True)); T(fd((7,2),1)); T(fd((2,2,2),1)); T(fd((2,3,2),1)); T(fd((2,),1)); T(fd((2,5),2.5,True)); T(lambda:torch.zeros(2,3).t().fill_diagonal_(1)); T(lambda:torch.zeros(2,2).fill_diagonal_(torch.tensor(2.)))
y=torch.ones(2,3)*1
torch.broadcast_to(y,(1,2,3)).mul_(2); print(y)
y.expand(1,2,3).mul_(2); print(y)
w=torch.ones(2,3,requires_grad=True); y=w*1
r=torch.broadcast_to(y,(1,2,3)).mul_(2); print(y, r.grad_fn.name())
