import torch
from torch.nn.modules.dropout import _DropoutNd
class D(_DropoutNd):
    def forward(self, x): return x * (1 - self.p)
print(D(0.5), D()(torch.ones(2)))
try: D(2)
except ValueError as e: print(e)
try: torch.nn.Dropout(1, 2, 3, 4)
except TypeError as e: print(e)
try: torch.nn.MaxPool2d()
except TypeError as e: print(e)
