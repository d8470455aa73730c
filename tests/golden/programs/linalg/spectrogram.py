import torch
def T(f,*a,**k):
    try:
        r=f(*a,**k); print(r.dtype,tuple(r.shape),r.stride(),r.grad_fn.name() if r.grad_fn else None,[x[0].name() if x[0] else None for x in r.grad_fn.next_functions] if r.grad_fn else None)
        q=(torch.view_as_real(r.detach().resolve_conj()) if r.is_complex() else r.detach())
        print([round(float(v),2)+0. for v in q.flatten()[:12]])
        if r.grad_fn is not None:
            l=[x for x in a if isinstance(x,torch.Tensor) and x.requires_grad][0]
            (g,)=torch.autograd.grad(r,l,(torch.arange(r.numel()).view(r.shape)*(1+0.5j if r.is_complex() else 1)).to(r.dtype))
            q=(torch.view_as_real(g.resolve_conj()) if g.is_complex() else g)
            print('  g',[round(float(v),1)+0. for v in q.flatten()[:8]])
    except Exception as e: print(type(e).__name__, str(e).split('\n')[0])
w=torch.tensor([0.,0.5,1.,0.5]); i=torch.arange(4)
s=torch.arange(16.).requires_grad_(); b=torch.arange(32.).view(2,16).requires_grad_()
S=torch.stft
T(S,s,4,return_complex=True);T(S,s,4,return_complex=False);T(S,s,4);T(S,b,4,2,window=w,return_complex=True);T(S,b,8,2,4,w,return_complex=True);T(S,s,4,center=False,return_complex=True);T(S,s,4,normalized=True,onesided=False,return_complex=True);T(s.stft,4,return_complex=True);T(S,s,100,return_complex=True);T(S,s,4,0,return_complex=True);T(S,s,4,2,8,return_complex=True);T(S,s,4,window=torch.ones(3),return_complex=True);T(S,b[None],4,return_complex=True);T(S,s,4,pad_mode='constant',return_complex=True);T(S,i,4,return_complex=True)
c=torch.complex(torch.arange(16.),torch.ones(16)).requires_grad_()
T(S,c,4,return_complex=True);T(S,c,4,onesided=True,return_complex=True);T(S,s,4,window=torch.complex(w,w),return_complex=True);T(S,s,17,center=False,return_complex=True);T(S,s,0,return_complex=True); T(S,torch.tensor(1.),4,return_complex=True); T(S,s,4,win_length=0,return_complex=True);T(S,s,5,return_complex=True);T(S,s,4,win_length=2,return_complex=True);T(S,s,4,3,return_complex=True)
I=torch.istft
sp=S(s.detach(),4,1,window=w,return_complex=True).requires_grad_(); spb=S(b.detach(),4,2,window=w,return_complex=True).requires_grad_()
T(I,sp,4,1,window=w);T(I,spb,4,2,window=w);T(I,spb,4,2,window=w,length=10);T(I,spb,4,2,window=w,length=40);T(I,spb,4,2);T(I,spb,4,2,window=w,center=False);T(I,spb,4,2,window=w,normalized=True);T(I,sp,4,1,window=w,return_complex=True);T(I,sp,8,1);T(I,s,4);T(I,sp,4,8);T(I,sp,4,1,8);T(I,sp,4,1,window=torch.ones(3));T(I,sp,4,0)
so=S(s.detach(),4,1,onesided=False,window=w,return_complex=True).requires_grad_()
T(I,so,4,1,window=w,onesided=False);T(I,so,4,1,window=w);T(I,so,4,1,window=w,onesided=False,return_complex=True); T(I,S(c.detach(),4,1,return_complex=True),4,1,return_complex=True); T(I,sp,4,5,5); T(I,sp,4,1,2,w[1:3]); T(sp.istft,4,1,window=w); T(I,torch.zeros(3,0,dtype=torch.complex64),4); T(I,sp,4,4,window=torch.tensor([0.,1,1,1]),center=False)
