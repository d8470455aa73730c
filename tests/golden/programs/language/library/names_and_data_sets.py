import numpy as np, argparse, torch
from torch.utils.data import TensorDataset, random_split, Dataset
ns=argparse.Namespace(x=1); print(dict(ns._get_kwargs()), vars(ns))
y=3
print(vars()['y'], 'y' in vars())
def f(q): r=2; return vars()
print(f(1))
s=random_split(a,[2,1],generator=torch.Generator().manual_seed(0)); print(np.array(s[0]).shape, np.array(s[0]))
class D(Dataset):
    def __len__(self): return 3
    def __getitem__(self,i):
        if i>2: raise IndexError
        return [i, i*2.]
print(np.array(D()), np.stack(D()))
