from argparse import ArgumentParser, Namespace
p = ArgumentParser()
p.add_argument("data", nargs="?", default="d")
p.add_argument("--flag", action="store_false")
p.add_argument("-v", action="count", default=0)
p.add_argument("--xs", action="append")
p.add_argument("--c", action="store_const", const=4)
p.set_defaults(z=5)
a = p.parse_args([])
print(a, a.flag, a.xs, "z" in a, getattr(a, "nope", 3))
b = p.parse_args(["q", "--xs", "1", "--xs", "2", "-vv", "--flag"])
print(b)
k, rest = p.parse_known_args(["q", "--zzz", "1"])
print(k, rest)
n = Namespace(lr=0.1, wd=0)
n.momentum = 0.9
print(n, vars(n), n == Namespace(lr=0.1, wd=0, momentum=0.9))
for key, value in sorted(vars(n).items()):
    print(key, value)
