import torch
x = torch.arange(12.).view(3, 4)
print(x[1].storage_offset(), x[1:, 2:].storage_offset(), x.t()[2].storage_offset())
print(x[1:].stride(), x.t().stride(), x[:, ::2].stride())
print(x.data_ptr() == x.view(-1).data_ptr())
print(x[1:].is_contiguous(), x.t().is_contiguous())
