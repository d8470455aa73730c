import torch
from torch import nn
m = nn.MultiheadAttention(2, 1, bias=False, batch_first=True)
for p in m.parameters(): nn.init.ones_(p)
q = torch.tensor([[[1., 0.], [0., 1.]]]); kv = torch.tensor([[[1., 1.], [2., 0.], [0., 3.]]])
o, w = m(q, kv, kv); print(o, w)
print(m(q, kv, kv, key_padding_mask=torch.tensor([[False, True, False]]))[1])
print(m(q, q, q, attn_mask=torch.tensor([[False, True], [False, False]]))[1], m(q, q, q, need_weights=False)[1])
enc = nn.TransformerEncoderLayer(2, 1, 4, dropout=0., batch_first=True)
for p in enc.parameters(): nn.init.constant_(p, 0.1)
y = enc(q); print(y.shape, y.grad_fn, torch.isfinite(y).all()); y.sum().backward(); print(enc.linear1.weight.grad.shape, enc.norm1.bias.grad)
dec = nn.TransformerDecoderLayer(2, 1, 4, dropout=0., batch_first=True); print(dec(q, kv).shape)
t = nn.Transformer(2, 1, 1, 1, 4, dropout=0., batch_first=True); print(t(kv, q).shape, len(list(t.parameters())), nn.Transformer.generate_square_subsequent_mask(2))
print(nn.TransformerEncoder(enc, 2, enable_nested_tensor=False)(q).shape)
for f in (lambda: enc(torch.ones(1, 2, 3)), lambda: m(q[0, 0], kv, kv), lambda: nn.TransformerEncoderLayer(3, 2), lambda: t(kv, q[..., :1]), lambda: m(q, kv, kv[:, :1]), lambda: t(torch.ones(2, 3, 2), torch.ones(1, 3, 2))):
    try: print(f().shape)
    except Exception as e: print(type(e).__name__, e)
