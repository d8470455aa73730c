import torch
from torch import nn
d=nn.ParameterDict({'a':torch.ones(2),'b':nn.Parameter(torch.zeros(1))})
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, e)
t(lambda:d['training']); d['training']=torch.ones(1); t(lambda:d.training); t(lambda:d['training']); t(lambda: d.keys())
d['n']=3; t(lambda:d['n']); t(lambda:d.pop('n')); t(lambda:'n' in d); t(lambda: d['n'])
d['none']=None; t(lambda:d['none'])
d['f']=lambda x:x; t(lambda:d['f'](3))
del d['f']; t(lambda:list(d))
t(lambda: d.__delitem__('zz'))
d['pop']=torch.ones(1); t(lambda: d.pop); t(lambda:d['pop'])
try: d['x.y']=torch.ones(1); print(d['x.y'])
except Exception as e: print(type(e).__name__, e)
l=nn.ParameterList([torch.ones(1),3,None]); t(lambda:l[1]); t(lambda:l[2]); t(lambda:l[5]); t(lambda:l[-1]); l[0]=torch.zeros(2); t(lambda:l[0]); t(lambda:l[0:2])
