import torch, math
import torch.distributions as D
from torch.distributions import Distribution, constraints, Normal
from torch.distributions.utils import broadcast_all, lazy_property, logits_to_probs, probs_to_logits, clamp_probs
from torch.distributions.transforms import Transform
class TruncExp(Distribution):
    arg_constraints = {"rate": constraints.positive}
    has_rsample = True
    def __init__(self, rate, validate_args=None):
        self.rate, = broadcast_all(rate)
        super().__init__(self.rate.shape, validate_args=validate_args)
    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self): return constraints.interval(0., 1.)
    def rsample(self, sample_shape=torch.Size()):
        u = torch.rand(self._extended_shape(sample_shape))
        return -torch.log1p(-u * (1 - torch.exp(-self.rate))) / self.rate
    def log_prob(self, value):
        if self._validate_args: self._validate_sample(value)
        return self.rate.log() - self.rate * value - torch.log1p(-torch.exp(-self.rate))
    def expand(self, batch_shape, _instance=None):
        new = self._get_checked_instance(TruncExp, _instance)
        new.rate = self.rate.expand(batch_shape)
        super(TruncExp, new).__init__(batch_shape, validate_args=False)
        new._validate_args = self._validate_args
        return new
    @lazy_property
    def half(self): return self.rate / 2
torch.manual_seed(0)
r = torch.tensor([1., 2.], requires_grad=True)
d = TruncExp(r); s = d.rsample((2,)); print(d, s, d.log_prob(s.detach()), d.support, d.half, d.expand((3, 2)).sample().shape)
s.sum().backward(); print(r.grad)
for f in (lambda: TruncExp(-1.), lambda: d.log_prob(torch.tensor(2.)), lambda: d.mean, lambda: d.mode, lambda: d.cdf(1)):
    try: print(f())
    except Exception as e: print(type(e).__name__, e)
class Log(Transform):
    domain = constraints.positive; codomain = constraints.real; bijective = True; sign = 1
    def _call(self, x): return x.log()
    def _inverse(self, y): return y.exp()
    def log_abs_det_jacobian(self, x, y): return -y
t = Log(); print(t, t.inv, t(torch.tensor(2.)), t.inv(torch.tensor(0.)), t == t, t == Log())
td = D.TransformedDistribution(D.Gamma(2., 1.), [t]); print(td.sample(), td.log_prob(torch.tensor(.3)), td.support)
class N2(Normal):
    def __init__(self, a): super().__init__(a, 1.)
try: N2(torch.zeros(2)).expand((2, 2))
except NotImplementedError as e: print(e)
class P(Normal): pass
print(P(0., 1.).expand((2,)), type(P(0., 1.).expand((2,))))
class Bare(Distribution): pass
import warnings
with warnings.catch_warnings(record=True) as w:
    warnings.simplefilter("always"); Bare(); print(len(w))
print(Normal.arg_constraints, Normal.support, D.Uniform.support if 0 else '', Normal.has_rsample, D.kl.kl_divergence is D.kl_divergence)
Distribution.set_default_validate_args(False); print(Normal(0., -1.).scale); Distribution.set_default_validate_args(True)
print(Normal(0., -1., validate_args=False).scale, logits_to_probs(torch.tensor(0.), True), probs_to_logits(torch.tensor([.2, .8])), clamp_probs(torch.tensor([0., 1.])))
try: Normal(torch.zeros(2), torch.tensor([1., float('nan')]))
except ValueError as e: print(e)
print(isinstance(D.Beta(1., 1.), D.ExponentialFamily), D.constraints.positive, D.transforms.ExpTransform, D.normal.Normal, type(D.constraints.real))
print(D.Normal(0., 1.).sample_n(2).shape)
from torch.distributions.exp_family import ExponentialFamily
from torch.distributions.relaxed_categorical import ExpRelaxedCategorical
