try:
    from torch.optim.optimizer import Foo
except ImportError as error:
    print(str(error).split(' (')[0])
