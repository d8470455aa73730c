import torch
def T(f):
    try: print(f())
    except Exception as e: print(e)
x=torch.arange(4.,requires_grad=True); s=torch.ones(2,requires_grad=True)
y=torch.as_strided_scatter(x,s,(2,),(2,),1); print(y)
y.backward(torch.tensor([1.,2,3,4])); print(x.grad,s.grad)
T(lambda:torch.take_along_dim(torch.arange(5.),torch.tensor([-1,0])));T(lambda:torch.take_along_dim(torch.arange(5.),torch.tensor([-1,0]),0));T(lambda:torch.take_along_dim(torch.arange(5.),torch.tensor([-6,7]),0));T(lambda:torch.take_along_dim(torch.arange(5.,requires_grad=True),torch.tensor([-1,0]),0))
try: print(torch.take_along_dim(torch.arange(5.),torch.tensor([-6,0])))
except Exception as e: print(e)
try: print(torch.take_along_dim(torch.arange(5.),torch.tensor([5,0])))
except Exception as e: print(e)
x=torch.arange(5.,requires_grad=True)

print(torch.gather(x,0,torch.tensor([],dtype=torch.uint8)))
