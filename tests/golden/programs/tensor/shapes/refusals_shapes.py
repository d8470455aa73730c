import torch
a = torch.ones(2, 3)
v = torch.ones(3)
tries = [
    lambda: a + torch.ones(4),
    lambda: a.mm(a),
    lambda: a.mm(v),
    lambda: v.mm(a),
    lambda: a @ torch.ones(2),
    lambda: torch.ones(2) @ a.t(),
    lambda: v @ torch.ones(4),
    lambda: torch.ones(2, 2, 3) @ torch.ones(3, 3, 2),
    lambda: a.mv(torch.ones(2)),
    lambda: v.mv(v),
    lambda: a.dot(v),
    lambda: torch.bmm(a, a),
    lambda: torch.bmm(torch.ones(2, 2, 3), torch.ones(3, 3, 2)),
    lambda: torch.outer(a, v),
    lambda: a.view(4),
    lambda: a.view(-1, -1),
    lambda: a.view(-1, 4),
    lambda: a.reshape(5, -1),
    lambda: torch.ones(2, 2, 2).t(),
    lambda: a.transpose(0, 2),
    lambda: a.permute(0),
    lambda: a.permute(0, 0),
    lambda: a.squeeze(5),
    lambda: a.unsqueeze(5),
    lambda: a.expand(4, 3),
    lambda: a.expand(3),
    lambda: a.flatten(1, 0),
    lambda: a.sum(2),
    lambda: a.sum((0, 0)),
    lambda: a.max(-3),
    lambda: torch.cat([a, torch.ones(2)]),
    lambda: torch.cat([]),
    lambda: torch.stack([]),
    lambda: torch.stack([a, v]),
    lambda: torch.where(a > 0, a, torch.ones(2)),
    lambda: torch.maximum(a, torch.ones(2)),
]
for number, attempt in enumerate(tries):
    try:
        print(number, attempt().shape)
    except Exception as error:
        print(number, type(error).__name__, error)
