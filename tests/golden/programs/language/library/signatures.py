import inspect, ast
import torch
def f(a, b=2, *args, c, d=4, **kw):
    """Doc."""
    return a
sig = inspect.signature(f)
print(sig, list(sig.parameters), sig.parameters["b"].default, sig.parameters["a"].default is inspect.Parameter.empty)
for n, p in sig.parameters.items():
    print(n, p.kind, p.annotation if p.annotation is not inspect._empty else None)
print(inspect.isfunction(f), inspect.isclass(torch.nn.Linear), inspect.ismethod(f), inspect.getdoc(f), inspect.isgenerator(f))
print(ast.literal_eval("[1, 2, {'a': (3, None)}]"))
class A:
    def g(self, x): pass
print(inspect.signature(A.g), inspect.isclass(A), inspect.signature(A().g), inspect.getfullargspec(f).args)
