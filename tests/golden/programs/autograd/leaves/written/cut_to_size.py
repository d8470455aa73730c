import torch


def attempt(work):
    try:
        work()
    except RuntimeError as error:
        print(str(error)[:120])


# units cut out of a layer between epochs: the graphs of before are gone
torch.manual_seed(0)
layer, head = torch.nn.Linear(3, 4), torch.nn.Linear(4, 1)


def train():
    loss = head(torch.tanh(layer(torch.ones(2, 3)))).pow(2).mean()
    loss.backward()
    print(loss.detach(), layer.weight.grad.shape, head.weight.grad)


for kept in (4, 3, 1):
    layer.weight.data, layer.bias.data = layer.weight.data[:kept], layer.bias.data[:kept]
    head.weight.data = head.weight.data[:, :kept]
    train()
    layer.zero_grad()
    head.zero_grad()

# a graph that a name still holds keeps the shape that the leaf had
w = torch.ones(2, 3, requires_grad=True)
total = w.sum()
total.backward()
w.grad = None
w.data = torch.ones(4)
attempt(lambda: w.sum().backward())
print(w.grad)
del total
attempt(lambda: w.sum().backward())
print(w.grad)

kept = []
v = torch.ones(2, 3, requires_grad=True)
kept.append({"loss": (v * 2).sum()})
v.data = torch.ones(5)
attempt(lambda: v.sum().backward())
kept.clear()
attempt(lambda: v.sum().backward())
print(v.grad)

u = torch.ones(2, 3, requires_grad=True)
u.sum().backward()
u.grad = None
with torch.no_grad():
    u.t_()
attempt(lambda: (u * torch.arange(6.0).reshape(3, 2)).sum().backward())
print(u.grad)
u.grad = None
u.data = u.data.double()
attempt(lambda: u.sum().backward())
print(u.grad)
