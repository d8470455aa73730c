# Settings out of texts, errors of arguments, and small modules that scripts use.
import configparser, io, sys, contextlib
c = configparser.ConfigParser()
c.read_string("[a]\nx = 1\ny = %(x)s2\nt = yes\n[b]\nq: 2.5\n")
print(c.sections(), c["a"]["y"], c.getint("a", "y"), c["b"].getfloat("q"), c.getboolean("a", "t"), c.get("a", "n", fallback="no"), c["a"].get("z"), dict(c["a"]), list(c))
c["c"] = {"k": 3, "m": "w"}
c.set("c", "k", "4")
f = io.StringIO(); c.write(f); print(f.getvalue())
try: c.get("zz", "k")
except configparser.NoSectionError as e: print(e, type(e).__name__)
try: c.get("a", "k")
except configparser.Error as e: print(e)
try: c["nope"]
except KeyError as e: print(repr(e))
r = configparser.RawConfigParser(allow_no_value=True); r.optionxform = str
r.read_string("[S]\nFlag\nKey=%(x)s")
print(r.items("S"), "Flag" in r["S"], r.has_option("S", "Key"))
for s in c.sections():
    for k, v in c.items(s): print(s, k, v)
print(c.read("nofile.ini"))
import tempfile, os
path = os.path.join(tempfile.mkdtemp(), "t.ini")
with open(path, "w") as h: c.write(h)
d = configparser.ConfigParser(interpolation=configparser.ExtendedInterpolation()); print(len(d.read(path)), d.sections())
with contextlib.redirect_stderr(io.StringIO()) as e:
    print("oops", file=sys.stderr)
print(repr(e.getvalue()))
import argparse
p = argparse.ArgumentParser(prog="x"); p.add_argument("--n", type=int)
with contextlib.redirect_stderr(io.StringIO()) as e:
    try: p.parse_args(["--n", "q"])
    except SystemExit as s: print(s.code, s, repr(s))
print(e.getvalue())
import graphlib, tomllib, calendar, getopt
print(list(graphlib.TopologicalSorter({"D": {"B", "C"}, "B": {"A"}, "C": {"A"}}).static_order())[0])
try: list(graphlib.TopologicalSorter({"D": {"B"}, "B": {"D"}}).static_order())
except graphlib.CycleError as e: print(e.args[0])
print(tomllib.loads("[a]\nx = 1.5\nl=[1,2]\n"))
print(calendar.monthrange(2024, 2), calendar.month_name[3], calendar.isleap(2000)); print(calendar.month(2024, 2))
print(getopt.getopt(["-a", "1", "--foo=2", "r"], "a:", ["foo="]))
from importlib.metadata import version, PackageNotFoundError
try: version("nothing-like-it")
except PackageNotFoundError as e: print(e)
