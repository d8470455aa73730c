import torch
def T(f,*a,**k):
    try:
        r=f(*a,**k); print(f.__name__,r.dtype,tuple(r.shape),r.grad_fn.name() if r.grad_fn else None,[x[0].name() for x in r.grad_fn.next_functions] if r.grad_fn else None)
        if r.numel()<=12: print(torch.view_as_real(r.detach().resolve_conj()).round(decimals=3).add(0.).tolist() if r.is_complex() else r.detach().round(decimals=3).add(0.).tolist())
        if r.grad_fn is not None:
            l=[x for x in a if isinstance(x,torch.Tensor) and x.requires_grad][0]
            (g,)=torch.autograd.grad(r,l,(torch.arange(r.numel()).view(r.shape)*(1+0.5j if r.is_complex() else 1)).to(r.dtype))
            print('  g',(torch.view_as_real(g.resolve_conj()) if g.is_complex() else g).round(decimals=3).add(0.).flatten().tolist()[:8])
    except Exception as e: print(f.__name__,type(e).__name__, str(e).split('\n')[0])
F=torch.fft
x=torch.tensor([1.,2.,-1.,3.,0.5],requires_grad=True); z=torch.complex(torch.tensor([1.,2.,-1.]),torch.tensor([0.5,-1.,2.])).requires_grad_()
m=torch.arange(6.).view(2,3).requires_grad_(); mz=torch.complex(torch.arange(6.).view(2,3),torch.ones(2,3)).requires_grad_(); i=torch.arange(4)
for f in (F.fft,F.ifft,F.rfft,F.irfft,F.hfft,F.ihfft):
    for a in (x,z,i):
        for k in ({},{'n':4},{'n':6,'norm':'ortho'},{'norm':'forward'},{'dim':0},{'n':0},{'n':-2},{'norm':'x'},{'dim':3}): T(f,a,**k)
    T(f,torch.tensor(1.)); T(f,torch.zeros(0)); T(f,torch.zeros(2,0)); T(f,torch.zeros(2,dtype=torch.bool)); T(f,torch.zeros(3,dtype=torch.float16))
for f in (F.fft2,F.ifft2,F.rfft2,F.irfft2,F.fftn,F.ifftn,F.rfftn,F.irfftn,F.hfft2,F.ihfft2,F.hfftn,F.ihfftn):
    for a in (m,mz):
        for k in ({},{'s':(2,2)},{'s':(3,)},{'s':(4,5),'norm':'ortho'},{'norm':'forward'},{'dim':(0,)},{'dim':(0,0)},{'s':(2,2),'dim':(0,)},{'s':(0,2)},{'s':(-1,2)},{'dim':(0,2)},{'s':(1,2,3)},{'dim':()},{'dim':(1,0)}): T(f,a,**k)
T(F.fftfreq,5);T(F.fftfreq,4,0.5);T(F.rfftfreq,5);T(F.rfftfreq,4,d=2.);T(F.fftfreq,0);T(F.fftfreq,3,dtype=torch.float64);T(F.fftfreq,-1);T(F.rfftfreq,0)
for f in (F.fftshift,F.ifftshift): T(f,x);T(f,m);T(f,m,dim=0);T(f,m,dim=(0,));T(f,m,(1,));T(f,m,dim=5)
w=torch.hann_window(4)
s=torch.arange(16.).requires_grad_(); b=torch.arange(32.).view(2,16).requires_grad_()

