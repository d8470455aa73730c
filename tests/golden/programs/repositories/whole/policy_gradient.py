import torch
from torch import nn
from torch.distributions import Categorical, MultivariateNormal
from torch.distributions.normal import Normal
class ActorCritic(nn.Module):
    def __init__(self, s, a):
        super().__init__()
        self.actor = nn.Sequential(nn.Linear(s, 4), nn.Tanh(), nn.Linear(4, a), nn.Tanh()); self.var = torch.full((a,), 0.36)
    def evaluate(self, state, action):
        mean = self.actor(state); cov = torch.diag_embed(self.var.expand_as(mean))
        d = MultivariateNormal(mean, cov)
        return d.log_prob(action), d.entropy()
torch.manual_seed(0)
ac = ActorCritic(3, 2)
lp, e = ac.evaluate(torch.randn(4, 3), torch.randn(4, 2)); print(lp, e)
(-lp.mean() - 0.01 * e.mean()).backward(); print(ac.actor[0].weight.grad)
d = MultivariateNormal(torch.zeros(2), torch.eye(2)); a = d.sample(); print(a, d.log_prob(a))
