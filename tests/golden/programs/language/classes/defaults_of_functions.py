import collections
Stage = collections.namedtuple('Stage', ['kernel', 'stride', 'c_in'])
Stage.__new__.__defaults__ = (None,) * len(Stage._fields)
print(Stage(3), Stage._fields, Stage.__new__.__defaults__, Stage._field_defaults)
B = collections.namedtuple('B', 'x y')
B.__new__.__defaults__ = (5,)
print(B(1), B(1, 2))
B.__new__.__defaults__ = None
try: B(1)
except TypeError as e: print(e)
def f(a, b=2): return a + b
print(f.__defaults__, f.__kwdefaults__)
f.__defaults__ = (7,)
print(f(1))
try: B.__new__.__defaults__ = [1]
except TypeError as e: print(e)
