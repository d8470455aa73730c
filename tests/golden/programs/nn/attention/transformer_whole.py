"""The whole Transformer on a copy task, one step, with a causal mask."""
import torch
import torch.nn as nn

torch.manual_seed(0)
model = nn.Transformer(d_model=8, nhead=2, num_encoder_layers=1, num_decoder_layers=1, dim_feedforward=16, dropout=0.0,
                       batch_first=True, norm_first=True, activation="gelu")
print(model)
src, tgt = torch.randn(2, 5, 8), torch.randn(2, 4, 8)
mask = model.generate_square_subsequent_mask(4)
out = model(src, tgt, tgt_mask=mask, tgt_is_causal=True)
print(out.shape)
out.pow(2).mean().backward()
for name, parameter in model.named_parameters():
    print(name, tuple(parameter.shape), f"{parameter.grad.abs().sum():.3f}")
try:
    model(src[:1], tgt)
except RuntimeError as error:
    print(error)
try:
    nn.TransformerEncoderLayer(4, 2, activation="tanh")
except RuntimeError as error:
    print(error)
