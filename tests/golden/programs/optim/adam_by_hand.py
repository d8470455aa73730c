import torch
w = torch.tensor([1., 2.], requires_grad=True)
opt = torch.optim.Adam([w], lr=0.1)
for i in range(3):
    opt.zero_grad()
    loss = (w ** 2).sum()
    loss.backward()
    opt.step()
    print(i, f'{loss.item():.4f}', w.detach().numpy().round(4), w.grad)
print(opt.state[w]['step'], opt.state[w].keys(), opt.state_dict()['state'][0]['exp_avg'])
print(opt.param_groups[0]['lr'], len(opt.param_groups), opt.param_groups[0].keys())
opt.param_groups[0]['lr'] = 0.01
print(opt)
sd = opt.state_dict()
opt2 = torch.optim.Adam([w], lr=1.)
opt2.load_state_dict(sd)
print(opt2.param_groups[0]['lr'], opt2.state[w]['step'])
w.grad = None
opt.step(); print(w)
frozen = torch.ones(1)
o3 = torch.optim.SGD([frozen], lr=0.1); o3.step(); print(frozen)
sched = torch.optim.lr_scheduler.StepLR(opt, step_size=1, gamma=0.1)
for _ in range(2):
    opt.step(); sched.step(); print(sched.get_last_lr(), opt.param_groups[0]['lr'])
print(sched.state_dict())
torch.optim.SGD([w.detach() * 2, 'a'], lr=0.1)
