from torch.optim.optimizer import Foo
