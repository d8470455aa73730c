import torch

x = torch.arange(24.).view(2, 3, 4)
w = x.clone().requires_grad_()
i = torch.tensor([0, 1])
m = torch.tensor([True, False])
m2 = torch.tensor([[True, False, True], [False, True, False]])
u = torch.tensor([1, 0], dtype=torch.uint8)


def show(read):
    try:
        result = read()
        print(result)
        if isinstance(result, torch.Tensor) and result.grad_fn is not None:
            print("   ", result.grad_fn.name(), result.is_contiguous(), result.stride())
    except Exception as error:
        print(type(error).__name__, str(error).split("\n")[0])


reads = [
    lambda:x[::-1],
    lambda:x[0:2:0],
    lambda:x[5],
    lambda:x[-3],
    lambda:x[0,3],
    lambda:x[0,0,4],
    lambda:x[0,0,0,0],
    lambda:x[i,:,i],
    lambda:x[:,i,i],
    lambda:x[i,0],
    lambda:x[0,i],
    lambda:x[0,:,i],
    lambda:x[i,:,0],
    lambda:x[i,None],
    lambda:x[None,i],
    lambda:x[...,i],
    lambda:x[...,None],
    lambda:x[m],
    lambda:x[m2],
    lambda:x[m2,0],
    lambda:x[:,m2[0]],
    lambda:x[m,i],
    lambda:x[m,:,i],
    lambda:x[u],
    lambda:x[u.bool()],
    lambda:x[[0,1]],
    lambda:x[[[0,1],[1,0]]],
    lambda:x[[True,False]],
    lambda:x[(0,1)],
    lambda:x[range(2)],
    lambda:x[[]],
    lambda:x[torch.tensor([])],
    lambda:x[torch.tensor([],dtype=torch.long)],
    lambda:x[torch.tensor(1)],
    lambda:x[torch.tensor(1),torch.tensor([0,2])],
    lambda:x[torch.tensor(True)],
    lambda:x[True],
    lambda:x[False],
    lambda:x[True,0],
    lambda:x[0,True],
    lambda:x[torch.tensor([0.,1.])],
    lambda:x[1.0],
    lambda:x['a'],
    lambda:x[{}],
    lambda:x[None],
    lambda:x[...],
    lambda:x[...,...],
    lambda:x[:, ...,0],
    lambda:x[torch.tensor([3])],
    lambda:x[:,torch.tensor([3])],
    lambda:x[torch.tensor([-3])],
    lambda:x[torch.tensor([True,False,True])],
    lambda:x[torch.tensor([[True,False],[False,True]])],
    lambda:x[:,torch.tensor([True,False])],
    lambda:x[i,torch.tensor([0,1,2])],
    lambda:x[i,torch.tensor([[0],[1]])],
    lambda:x[i,i,i,i],
    lambda:x[torch.tensor([[0,1]]),...],
    lambda:x[slice(None),slice(1,None)],
    lambda:x[torch.tensor(0):torch.tensor(2)],
    lambda:x['a':2],
    lambda:x[0.5:],
    lambda:x[:1.5],
    lambda:x[0][0][0],
    lambda:x[0,0,0][0],
    lambda:x[0,0,0][...],
    lambda:x[0,0,0][None],
    lambda:x[0,0,0][True],
    lambda:x[0,0,0][False],
    lambda:x[0,0,0][:],
    lambda:x[0,0,0][i],
    lambda:x[-1:],
    lambda:x[5:],
    lambda:x[:-5],
    lambda:x[1:0],
    lambda:x[0:100:2],
    lambda:x[[0,-1]],
    lambda:x[[0,2]],
    lambda:x[[0,1],[0,1]],
    lambda:x[([0,1],[0,1])],
    lambda:x[[slice(0,1)]],
    lambda:x[[None]],
    lambda:x[[0,1.5]],
    lambda:x[[i,i]],
    lambda:x[[i]],
    lambda:x[[torch.tensor(0),torch.tensor(1)]],
    lambda:x[(i,)],
    lambda:x[i.int()],
    lambda:x[i.short()],
    lambda:x[i.to(torch.int8)],
    lambda:x[torch.tensor(1,dtype=torch.uint8)],
    lambda:x[torch.tensor(1.)],
    lambda:x[torch.tensor([1+0j])],
    lambda:x[m2.t()],
    lambda:x[0][m2],
    lambda:w[i,:,i],
    lambda:w[0],
    lambda:w[m2],
    lambda:w[...,None],
    lambda:w[None],
    lambda:w[True],
    lambda:w[:],
    lambda:w[...],
    lambda:w[0:1],
    lambda:w[i,0],
    lambda:w[m2].sum(),
    lambda:w[0,1:,None,[0,1]],
    lambda:x[:,:,[0,1]].stride(),
    lambda:x[i,:,:].stride(),
    lambda:x[:,i].stride(),
    lambda:x[:,i,:].is_contiguous(),
    lambda:x[:,[0,1],[1,1]],
    lambda:torch.zeros(0,3)[0],
    lambda:torch.zeros(0,3)[:,1],
    lambda:torch.zeros(0,3)[torch.zeros(0,dtype=torch.bool)],
    lambda:torch.zeros(3)[torch.tensor(0)],
    lambda:x[0,...,[0,1]].shape,
    lambda:x[[0,1],...,[0,1]].shape,
    lambda:x[:,None,[0,1],None].shape,
    lambda:x[[0,1],None,[0,1]].shape,
    lambda:x[[0,1],None,:,[0,1]].shape,
    lambda:x[:,[[0],[1]],[0,1]].shape,
    lambda:x.index_put((i,i),torch.tensor(5.)),
    lambda:x.index_put((i,i),torch.ones(2,4),accumulate=True),
    lambda: 3.0 in x,
    lambda: torch.tensor(3.) in x,
    lambda: 'a' in x,
    lambda: [1] in x,
    lambda: len(x),
    lambda:[t.shape for t in x],
    lambda: next(iter(x)).shape,
    lambda: (lambda a,b:a.sum()+b.sum())(*x),
    lambda: (lambda a,b,c:a)(*x),
]
for number, read in enumerate(reads):
    print(number, end=" ")
    show(read)


def delete():
    y = x.clone()
    del y[0]


def too_many():
    a, b, c = x


def not_iterable():
    (a,) = x[0, 0, 0]


show(delete)
show(too_many)
show(not_iterable)
