# Covariance matrices of normal samples.
import torch
torch.manual_seed(0)
from torch.distributions import Wishart
w = Wishart(torch.tensor(4.), covariance_matrix=torch.tensor([[2., .5], [.5, 1.]]))
print(w, w.mean, w.variance, w.mode, w.entropy(), w.batch_shape, w.event_shape)
s = w.rsample(); print(s, w.log_prob(s))
s = w.sample((2,)); print(s, w.log_prob(s))
w2 = Wishart(torch.tensor([3., 5.]), scale_tril=torch.eye(2).expand(2, 2, 2)); print(w2.sample().shape, w2.log_prob(w2.sample()), w2.expand((3, 2)).mean.shape)
try: Wishart(torch.tensor(1.), covariance_matrix=torch.eye(3))
except Exception as e: print(type(e).__name__, e)
L = torch.eye(2, requires_grad=True); Wishart(3., scale_tril=L).log_prob(torch.eye(2) * 2).backward(); print(L.grad)
