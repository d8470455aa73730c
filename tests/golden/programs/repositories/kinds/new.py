import torch
a = torch.arange(4.)
print(a.new([1,2]), a.new(2,3).shape, a.new(a.size()).shape, a.new(), a.new(torch.ones(2)), torch.ones(2,dtype=torch.int64).new([1.5]))
for f in (lambda: a.new('x'), lambda: a.new(1.5), lambda: torch.arange(3).new(torch.ones(1)), lambda: a.new(2, device='cuda')):
    try: print(f())
    except Exception as e: print(type(e).__name__, e)
s = a.storage(); print(a.new(storage=s), a.new(s), a.new(2,device='cpu').shape)
