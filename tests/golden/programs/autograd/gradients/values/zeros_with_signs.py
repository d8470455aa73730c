import torch
import torch.nn as nn
torch.manual_seed(0)
x=torch.tensor([[1.,0.,-2.]]); l=nn.Linear(3,2); y=l(x); y.backward(torch.tensor([[-1.,2.]])); print(l.weight.grad, l.bias.grad)
w=torch.tensor([[1.,2.],[3.,4.],[5.,6.]],requires_grad=True)
v=torch.tensor([0.,1.,0.]); z=v@w; z.backward(torch.tensor([-1.,-2.])); print(w.grad)
w.grad=None; (x@w).sum().neg().backward(); print(w.grad)
a=torch.tensor([[0.],[1.]],requires_grad=True); b=torch.tensor([[-1.,3.]],requires_grad=True); c=a@b; print(c); c.sum().backward(); print(a.grad,b.grad)
print(a.double()@b.double(), torch.mm(a,b), torch.addmm(torch.zeros(2,2),a,b), torch.einsum('ij,jk->ik',a,b), torch.matmul(a[None],b[None]))
