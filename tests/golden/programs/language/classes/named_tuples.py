from collections import namedtuple, OrderedDict, defaultdict, Counter, deque, ChainMap
P = namedtuple("P", "a b")
p = P(1, b=2)
print(p, p.a, p._fields, p == (1, 2), *p)
P2 = namedtuple("P2", ["x", "y"], defaults=[0])
print(P2(1))
a, b = p
print(a, b)
print(Counter("hello").most_common(2), OrderedDict(a=1), defaultdict(list))
p.a = 3
