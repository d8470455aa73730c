"""MultiheadAttention: its parameters, its output and its weights, with a mask and without."""
import torch
import torch.nn as nn

torch.manual_seed(0)
attention = nn.MultiheadAttention(8, 2, batch_first=True, dtype=torch.float64)
print(attention)
for name, parameter in attention.named_parameters():
    print(name, tuple(parameter.shape), parameter.flatten()[:2])
data = torch.randn(2, 4, 8, dtype=torch.float64, requires_grad=True)
output, weights = attention(data, data, data)
print(output.shape, output.grad_fn, weights.shape, weights.sum(-1))
mask = nn.Transformer.generate_square_subsequent_mask(4, dtype=torch.float64)
print(mask)
output, weights = attention(data, data, data, attn_mask=mask, average_attn_weights=False)
print(weights.shape, weights[0, 0])
padding = torch.tensor([[False, False, False, True], [False, False, True, True]])
output, weights = attention(data, data, data, key_padding_mask=padding)
print(weights[1])
output, weights = attention(data, data, data, need_weights=False)
print(weights)
output.sum().backward()
print(data.grad.shape, attention.in_proj_weight.grad.shape, f"{attention.out_proj.bias.grad.sum():.4f}")
try:
    attention(data, data[:1], data)
except Exception as error:
    print(type(error).__name__, error)
try:
    nn.MultiheadAttention(7, 2)
except AssertionError as error:
    print(error)
