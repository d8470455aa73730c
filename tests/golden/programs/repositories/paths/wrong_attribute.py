import torch
torch.nn.modules.linear.Foo
