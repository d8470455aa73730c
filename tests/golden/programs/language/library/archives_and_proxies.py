# Weak proxies, protocols of functions, results of tests, names at hand, archives in memory.
import weakref, os, unittest, inspect, platform, shutil, statistics, difflib, time
class A:
    n = 1
    def f(self): return 5
a = A(); p = weakref.proxy(a); p.n = 3; print(p.n, a.n, p.f())
print(os.fspath("x"), os.path.splitdrive("/a"), os.path.commonpath(["/a/b", "/a/c"]), os.path.normcase("/A"), os.SEEK_SET)
from pathlib import Path
print(os.fspath(Path("a") / "b"))
from typing import Protocol, runtime_checkable
@runtime_checkable
class F(Protocol):
    def __call__(self, x: int) -> int: ...
@runtime_checkable
class H(Protocol):
    def f(self): ...
print(isinstance(lambda x: x, F), isinstance(3, F), isinstance(a, H), isinstance(len, F), isinstance(a, F), isinstance(A, F), isinstance(int, F))
class T(unittest.TestCase):
    def test_a(self): self.assertEqual(1, 1)
    def test_b(self): self.assertEqual(1, 2)
s = unittest.defaultTestLoader.loadTestsFromTestCase(T)
r = unittest.TestResult(); s.run(r)
print("ran", r.testsRun, len(r.failures), len(r.errors), r.wasSuccessful())
print(inspect.cleandoc("  a\n    b\n  c"), inspect.isgeneratorfunction(lambda: 1))
n = statistics.NormalDist(1, 2); print(n.cdf(1), n.pdf(0), n.mean, n.stdev, n.inv_cdf(.9), (n + 3).mean)
m = difflib.SequenceMatcher(None, "abcd", "bcde"); print(m.ratio(), m.get_matching_blocks()[0].size, m.find_longest_match(0, 4, 0, 4))
print(m.get_opcodes())
x = 1
def g():
    y = 2
    return dir()
print('x' in dir(), 'zz' in dir(), g())
import zipfile, io
b = io.BytesIO()
with zipfile.ZipFile(b, "w", zipfile.ZIP_DEFLATED) as z:
    z.writestr("a.txt", "hello"); z.writestr("d/b.bin", b"\x00\x01")
b.seek(0)
with zipfile.ZipFile(b) as z:
    print(z.namelist(), z.read("a.txt"), z.getinfo("a.txt").file_size)
    with z.open("d/b.bin") as h: print(h.read())
import tempfile
path = os.path.join(tempfile.mkdtemp(), "arc.zip")
with zipfile.ZipFile(path, "w") as z: z.writestr("q", "w")
print(os.path.exists(path), zipfile.is_zipfile(path))
with zipfile.ZipFile(path) as z: print([i.filename for i in z.infolist()], z.testzip())
print(type(platform.release()).__name__)
