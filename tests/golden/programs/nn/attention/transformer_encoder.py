"""A small Transformer encoder: its printed form, training steps, evaluation with padding."""
import torch
import torch.nn as nn

torch.manual_seed(0)
layer = nn.TransformerEncoderLayer(d_model=8, nhead=2, dim_feedforward=16, dropout=0.0, batch_first=True)
encoder = nn.TransformerEncoder(layer, num_layers=2, norm=nn.LayerNorm(8))
print(encoder)
x = torch.randn(2, 3, 8)
target = torch.zeros(2, 3, 8)
optimizer = torch.optim.SGD(encoder.parameters(), lr=0.1)
for step in range(3):
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(encoder(x), target)
    loss.backward()
    optimizer.step()
    print(step, f"{loss.item():.4f}")
encoder.eval()
padding = torch.tensor([[False, False, True], [False, False, False]])
print(encoder(x, src_key_padding_mask=padding)[0, 2].abs().sum() > 0)
with torch.no_grad():
    out = encoder(x, src_key_padding_mask=padding)
print(out.shape, out.requires_grad)
print(len(list(encoder.parameters())), sum(p.numel() for p in encoder.parameters()))
