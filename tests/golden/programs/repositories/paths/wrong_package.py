from torch.foo.bar import baz
