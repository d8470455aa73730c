import torch
m = torch.compile(torch.nn.Linear(2, 2), mode='reduce-overhead', backend='eager')
print(type(m).__name__, m(torch.ones(1,2)).shape, list(m.state_dict()))
@torch.compile(fullgraph=True, backend='eager')
def g(x): return x * 2
print(g(torch.ones(1)))
import torch._dynamo
torch._dynamo.config.suppress_errors = True
torch._dynamo.reset()
