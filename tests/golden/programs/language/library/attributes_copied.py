import copy
import torch


class Config:
    def __init__(self, **more):
        self.width, self.sizes = 2, [3, 4]
        self.__dict__.update(more)

    def to_dict(self):
        return copy.deepcopy(self.__dict__)

    @classmethod
    def from_dict(cls, given):
        made = cls()
        made.__dict__.update(copy.copy(given))
        return made


config = Config(rate=0.5, start=torch.ones(2, requires_grad=True))
plain = config.to_dict()
plain["sizes"].append(5)
print(type(plain), plain["sizes"], config.sizes, plain["start"] is config.start, plain["start"].requires_grad)
print(sorted(copy.copy(vars(config))), copy.copy(vars(config))["sizes"] is config.sizes)
both = copy.deepcopy([vars(config), config])
print(both[0]["sizes"] is both[1].sizes, both[0] == vars(both[1]))
again = Config.from_dict(plain)
print(again.sizes, again.rate, again.__dict__.pop("rate", None), again.__dict__.pop("rate", None), hasattr(again, "rate"))
(again.start * 3).sum().backward()
print(again.start.grad, config.start.grad)
