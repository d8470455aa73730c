import torch
a=torch.arange(4.); s=a.storage(); u=a.untyped_storage()
s[0]=5; print(a)
for f in (lambda: s.__setitem__(9,5), lambda: s[9], lambda: s[1:3]):
    try: f()
    except Exception as e: print(type(e).__name__, e)
s[0:2]=7; print(a, s[-1]); u[0]=1; print(u[0], u[0:2], a)
s.fill_(3); print(a); s.copy_(torch.ones(4).storage()); print(a, s.clone(), s.double(), s.type(), s.device, s.is_cuda, s.is_shared())
print(torch.Tensor(s), torch.FloatTensor(s), torch.FloatStorage([1,2]), torch.Tensor(torch.FloatStorage([1,2,3])), a.storage_type())
t = torch.Tensor(s); t[0] = 9; print(a)
torch.FloatTensor(torch.arange(3).storage())
