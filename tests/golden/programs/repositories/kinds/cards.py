import torch
for f in (lambda: torch.ones(1).cuda(0), lambda: torch.ones(1).cuda(), lambda: torch.ones(1).cuda('cuda:1'), lambda: torch.ones(1).to(0), lambda: torch.nn.Linear(1,1).cuda(0), lambda: torch.nn.Linear(1,1).to(0), lambda: torch.cuda.FloatTensor(2), lambda: torch.ones(1).cuda(device='cpu'), lambda: torch.nn.Linear(1,1).to('cuda:0'), lambda: torch.ones(1,device=0), lambda: torch.cuda.current_device(), lambda: torch.cuda.get_device_name(0), lambda: torch.autocast('foo'), lambda: torch.autocast(3)):
    try: print(f())
    except Exception as e: print(type(e).__name__, e)
print(torch.cuda.FloatTensor, torch.cuda.max_memory_reserved(), torch.cuda.get_arch_list())
