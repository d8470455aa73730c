import threading, queue, json, operator, fnmatch, shlex, html, colorsys, difflib, contextlib, abc, pprint, typing, types, collections, random, numbers, string, os
from concurrent.futures import ThreadPoolExecutor, as_completed
import torch, numpy as np
class Worker(threading.Thread):
    def __init__(self, q, out):
        super().__init__(daemon=True)
        self.q, self.out = q, out
    def run(self):
        while True:
            try: item = self.q.get(timeout=0.1)
            except queue.Empty: break
            with lock: self.out.append(item * 2)
            self.q.task_done()
lock = threading.Lock()
q, out = queue.Queue(), []
for i in range(5): q.put(i)
ws = [Worker(q, out) for _ in range(2)]
for w in ws: w.start()
for w in ws: w.join()
print(sorted(out), q.empty(), ws[0].is_alive(), threading.current_thread() is threading.main_thread())
def f(x): return x ** 2
t = threading.Thread(target=lambda: out.append("t")); t.start(); t.join(); print(out[-1], lock.locked())
with ThreadPoolExecutor(max_workers=4) as ex:
    print(list(ex.map(f, range(5))), sorted(r.result() for r in as_completed([ex.submit(f, i) for i in range(3)])))
class Enc(json.JSONEncoder):
    def default(self, o):
        if isinstance(o, (torch.Tensor, np.ndarray)): return o.tolist()
        if isinstance(o, np.integer): return int(o)
        return super().default(o)
print(json.dumps({"a": torch.ones(2), "b": np.int64(3), "c": [np.arange(2)]}, cls=Enc))
try: json.dumps({1, 2}, cls=Enc)
except TypeError as e: print(e)
class D(collections.UserDict):
    def __setitem__(self, k, v): super().__setitem__(str(k), v)
d = D({1: 2}); d[3] = 4; print(d, d.data, len(d), "1" in d, dict(d), isinstance(d, collections.abc.Mapping) if hasattr(collections, "abc") else True)
class L(collections.UserList): pass
l = L([3, 1]); l.append(2); l.sort(); print(l, l[0], l + [5])
print(fnmatch.filter(["a.py", "b.txt"], "*.py"), shlex.split("a 'b c'"), html.escape("<a>"), colorsys.rgb_to_hsv(1, 0, 0), difflib.get_close_matches("appel", ["ape", "apple"]), operator.pow(2, 3), operator.lshift(1, 3))
class C:
    def close(self): print("closed")
with contextlib.closing(C()) as c: print(type(c).__name__)
class CM(contextlib.AbstractContextManager):
    def __exit__(self, *a): print("exit")
with CM() as cm: print(cm is not None)
pprint.PrettyPrinter(indent=2, width=30).pprint({"a": list(range(8)), "b": 1})
local = threading.local(); local.x = 1; print(local.x)
e = threading.Event(); print(e.is_set()); e.set(); print(e.wait())
print(os.devnull, os.sep, types.ModuleType, isinstance(torch, types.ModuleType))
class B(abc.ABC):
    @abc.abstractproperty
    def x(self): ...
try: B()
except TypeError as er: print("abstract")
random.seed(0); print(random.gammavariate(1, 2))
