import torch, io
m = torch.nn.Linear(2, 1)
b = io.BytesIO()
torch.save(m.state_dict(), b)
b.seek(0)
sd = torch.load(b)
m2 = torch.nn.Linear(2, 1); print(m2.load_state_dict(sd)); print(torch.equal(m.weight, m2.weight))
