"""Products, bits and scaled numbers written in place, with their settings and refusals."""

import torch
t=torch.ones
def r(n,f,*a,**k):
    try: q=f(*a,**k); print(n,q.tolist(),q.grad_fn.name() if q.grad_fn else None)
    except Exception as e: print(n,type(e).__name__,e)
for rg in (False,True):
    m=t(2,3,requires_grad=rg)*1
    r('addmm_',m.clone().addmm_,t(2,2),t(2,3),beta=.5,alpha=2); r('addmm_',m.clone().addmm_,t(2,2),t(2,3)); r('addmm_',m.clone().addmm_,mat1=t(2,2),mat2=t(2,3)); r('addr_',m.clone().addr_,t(2),t(3),beta=2); r('addr_',m.clone().addr_,vec1=t(2),vec2=t(3));r('addmm_',t(3,requires_grad=rg).clone().addmm_,t(2,2),t(2,3),beta=2)
    r('addmm_',m.clone().addmm_,t(2,2)); r('addmm_',m.clone().addmm_,t(2,2),3); r('addmm_',m.clone().addmm_,t(2,2),t(2,3),gamma=3)
x=torch.tensor([1,2,3])
r('and',x.clone().bitwise_and_,x);r('and',x.clone().bitwise_and_,2);r('and',x.clone().bitwise_and_,other=x);r('and',x.clone().bitwise_and_,1.5)
r('ldexp_',t(3).ldexp_,x);r('ldexp_',x.clone().ldexp_,x);r('mv',(t(3)*3).mvlgamma_,1);r('mv',(t(3)*3).mvlgamma_,p=1);r('mv',x.clone().mvlgamma_,1)
