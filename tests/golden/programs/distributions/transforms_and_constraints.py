import torch
from torch.distributions import *
from torch.distributions import constraints, transforms as T
from torch.distributions.transforms import *
torch.manual_seed(0)
x = torch.randn(2, 3)
for t in (ExpTransform(), SigmoidTransform(), TanhTransform(), SoftplusTransform(), AffineTransform(1., 2.), AffineTransform(torch.ones(3), torch.tensor([1., -2., 3.])), AffineTransform(1., -2., event_dim=1), PowerTransform(torch.tensor(2.)), AbsTransform(), SoftmaxTransform(), StickBreakingTransform(), ComposeTransform([AffineTransform(0., 2.), ExpTransform()]), ComposeTransform([ExpTransform().inv, AffineTransform(0., -1.)]), IndependentTransform(ExpTransform(), 1), ReshapeTransform((3,), (3, 1)), CorrCholeskyTransform(), CatTransform([ExpTransform(), AffineTransform(0., 1.), SigmoidTransform()], dim=1), StackTransform([ExpTransform(), AffineTransform(0., 1.)], dim=0), CumulativeDistributionTransform(Normal(0., 1.)), identity_transform):
    y0 = x.abs() if isinstance(t, PowerTransform) or type(getattr(t, 'parts', [None])[0] if getattr(t, 'parts', 0) else 0).__name__ == '_InverseTransform' else x
    y = t(y0); print(t, t.inv, t.domain, t.codomain, t.bijective, y)
    for n, f in (("inv", lambda: t.inv(y)), ("ladj", lambda: t.log_abs_det_jacobian(y0, y)), ("sign", lambda: t.sign), ("shape", lambda: (t.forward_shape(y0.shape), t.inverse_shape(y.shape))), ("edim", lambda: t.event_dim), ("invladj", lambda: t.inv.log_abs_det_jacobian(y, y0)), ("cache", lambda: t.with_cache(1) == t), ("eq", lambda: (t == t, t == ExpTransform(), t.inv == t.inv, t.inv.inv is t))):
        try: print(n, f())
        except Exception as e: print(n, type(e).__name__, e)
t = TanhTransform(cache_size=1); y = t(x); print(t.inv(y) is x)
m = torch.randn(3, 3)
for t in (LowerCholeskyTransform(), PositiveDefiniteTransform()):
    y = t(m); print(t, y, t.inv(y), t.codomain)
for c in (constraints.real, constraints.positive, constraints.nonnegative, constraints.unit_interval, constraints.interval(2., 5.), constraints.greater_than(1.), constraints.less_than(1.), constraints.simplex, constraints.lower_cholesky, constraints.corr_cholesky, constraints.real_vector, constraints.half_open_interval(0, 1), constraints.boolean, constraints.independent(constraints.positive, 1), constraints.positive_definite, constraints.cat([constraints.real, constraints.positive], -1, [1, 2])):
    for r in (biject_to, transform_to):
        try: print(c, r(c), r(c)(x) if c not in (constraints.lower_cholesky, constraints.positive_definite) else r(c)(m))
        except Exception as e: print(type(e).__name__, e)
v = torch.tensor([[1., 0., 0.], [.2, .3, .5]])
for n in ("boolean", "real", "positive", "nonnegative", "unit_interval", "simplex", "one_hot", "nonnegative_integer", "positive_integer", "real_vector"):
    c = getattr(constraints, n); print(n, c, c.check(v), c.is_discrete, c.event_dim, type(c))
for c in (constraints.lower_triangular, constraints.lower_cholesky, constraints.square, constraints.symmetric, constraints.positive_semidefinite, constraints.positive_definite, constraints.corr_cholesky):
    print(c, c.check(torch.eye(2)), c.check(torch.ones(2, 2)), c.check(-torch.eye(2).expand(3, 2, 2)))
print(constraints.integer_interval(0, 3).check(v), constraints.multinomial(2), constraints.multinomial(2).check(v), constraints.dependent, constraints.is_dependent(constraints.dependent), constraints.stack([constraints.real, constraints.positive]).check(v))
d = TransformedDistribution(Normal(torch.zeros(3), torch.ones(3)), [ExpTransform(), AffineTransform(1., 2.)])
print(d, d.sample(), d.log_prob(torch.tensor([2., 3., 4.])), d.cdf(torch.tensor([2., 3., 4.])), d.icdf(torch.tensor([.2, .3, .4])), d.support, d.has_rsample, d.transforms, d.base_dist, d.expand((2, 3)).batch_shape)
d = TransformedDistribution(Normal(torch.zeros(3), 1.), StickBreakingTransform()); print(d, d.event_shape, d.sample(), d.log_prob(d.sample()), d.support, d.base_dist)
logistic = TransformedDistribution(Uniform(0, 1), [SigmoidTransform().inv, AffineTransform(loc=2., scale=.5)]); print(logistic.sample((3,)), logistic.log_prob(torch.tensor(1.)), logistic.cdf(torch.tensor(1.)))
for f in (lambda: TransformedDistribution(Normal(0., 1.), 3), lambda: TransformedDistribution(Normal(0., 1.), [3]), lambda: TransformedDistribution(Normal(0., 1.), StickBreakingTransform()), lambda: d.mean, lambda: d.entropy(), lambda: d.mode, lambda: ExpTransform(cache_size=3), lambda: Transform()(x), lambda: ReshapeTransform((2,), (3,)), lambda: constraints.independent(3, 1), lambda: constraints.dependent.check(x), lambda: constraints.dependent.event_dim, lambda: biject_to.register(3, 4)):
    try: print(f())
    except Exception as e: print(type(e).__name__, e)
