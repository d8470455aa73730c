import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
import torch.nn.functional as F
q = torch.ones(1, 1, 2, 4)
with sdpa_kernel(SDPBackend.MATH):
    print(F.scaled_dot_product_attention(q, q, q))
print(SDPBackend.MATH)
