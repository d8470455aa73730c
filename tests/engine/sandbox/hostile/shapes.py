"""Hostile shapes over what programs carry along: files, tests, sessions, tables of names, saved modules, distributions, and the
protocols of classes by which Python calls back. Each shape has places for an object, a name and a value.
"""

from __future__ import annotations

import random
from typing import Final

from tests.engine.sandbox.hostile.grammar import NAMES, PRELUDE, TARGETS

MORE: Final = """
import base64, einops, glob, io, os, pathlib, pytest, shutil, sys, tempfile, time, unicodedata, unittest
import decimal, fractions, gzip, hashlib, secrets, struct, uuid, zlib, torch.profiler, torch.library
import torch.utils.benchmark as benchmark
import configparser, csv, difflib, google.colab, graphlib, statistics, tomllib, torch.nested, zipfile
class Meta(type):
    def hello(cls): return cls
class Made(metaclass=Meta): pass
class Own(nn.Parameter): pass
op = torch.library.custom_op('ns::op', mutates_args=())(lambda x: x)
from IPython.display import display
import torch.distributions as dist
import torch.fx as fx
with open('/tmp/a.txt', 'w') as file:
    file.write('text')
class T(unittest.TestCase):
    def test_a(self): self.assertEqual(1, 1)
class L(str):
    def __eq__(self, other): return True
    def __hash__(self): return hash('a')
    def __str__(self): return self
B = bytes
class K(dict):
    def __missing__(self, key): return f
"""
_OBJECTS: Final = """
globals() locals() open('/tmp/a.txt') open('/tmp/a.txt','rb') open io.StringIO() io.BytesIO() io os os.path os.environ
pathlib.Path('/tmp/a.txt') pathlib.Path tempfile.NamedTemporaryFile() tempfile.TemporaryDirectory() tempfile shutil
T T('test_a') T('test_a').run() unittest unittest.TestSuite() unittest.TestResult unittest.defaultTestLoader
unittest.TextTestRunner() unittest.TextTestRunner().run(T('test_a')) T('test_a').assertRaises(ValueError)
datetime.datetime.now() datetime.date(2020,1,1) datetime.timedelta(1) datetime.timezone.utc datetime datetime.datetime
torch.jit torch.jit.script(M()) torch.jit.trace(M(),t) torch.compile(M()) fx.symbolic_trace(M()) fx.symbolic_trace(M()).graph
torch.load torch.save einops einops.rearrange display dist.Normal(0.,1.) dist.Normal dist.Normal.sample dist dist.constraints.real
dist.kl_divergence dist.transforms.ExpTransform() sys sys.modules sys.stdout sys.exc_info() sys.exc_info()[2] time print.__self__
nn.Sequential(M()) nn.Sequential(M()).state_dict() M().state_dict() torch.autograd.grad_mode torch.utils.data.DataLoader([1]).__iter__()
torch.optim.lr_scheduler.StepLR(torch.optim.SGD([t],lr=1),1) torch.Generator() torch.finfo(torch.float32) t.untyped_storage()
np.nditer([1]) np.dtype('f4') np.random.default_rng(1) np.random.RandomState(1) np.polynomial np.lib np.linalg np.ones(2).flat
np.ones(2).ctypes np.ones(2).data memoryview(b'a') bytearray(b'a') (x*x).__class__ types.SimpleNamespace(a=1) e.__traceback__
collections.ChainMap() collections.UserDict() collections.UserDict collections.Counter() contextlib.contextmanager(gen) super(C,C())
string.Formatter() functools.cached_property(f) functools.singledispatch(f) functools.partialmethod(f) warnings.catch_warnings()
weakref.WeakKeyDictionary() weakref.finalize(C(),f) logging.getLogger().handlers argparse.ArgumentParser().parse_args([])
torch.sparse torch.sparse.mm torch.sparse.FloatTensor torch.sparse_coo torch.ones(2).to_sparse() torch.sparse_coo_tensor([[0]],[1.],(2,))
torch.ones(2).to('meta') torch.empty(2,device='meta') nn.Linear(2,2,device='meta') nn.Linear(2,2,device='meta').weight torch.device('meta')
Own Own(torch.ones(2)) Own.__new__ torch.Tensor._make_subclass Meta Made Meta('A',(),{}) Made() Made.hello type(Made) f.__code__ f.__defaults__ functools.singledispatch
functools.singledispatchmethod(f) operator.attrgetter('real') operator.methodcaller('f') hashlib.md5() hashlib.new zlib.compressobj() struct.Struct('i') gzip.GzipFile
gzip.GzipFile(fileobj=io.BytesIO(),mode='w') decimal.Decimal(1) decimal.getcontext() decimal.localcontext() fractions.Fraction(1,3) uuid.uuid4() uuid
secrets torch.profiler.profile() torch.profiler.profile().key_averages() torch.profiler.schedule torch.profiler torch.library op torch.ops torch.ops.ns
benchmark.Timer() benchmark.Timer().timeit(1) torch.profiler.record_function('a') nn.Embedding(2,2,sparse=True)
np.random.default_rng(1).bit_generator np.random.PCG64(1) np.random.MT19937 np.random.SeedSequence(1) np.random.RandomState(1).get_state()
np.random.PCG64(1).state np.lib.stride_tricks np.lib.stride_tricks.sliding_window_view(np.arange(4),2) np.char np.strings logging.Filter('a') logging.Filter
logging.LoggerAdapter(logging.getLogger(),{}) logging.LogRecord logging.Formatter('{msg}',style='{') logging.StreamHandler() csv.reader([]) csv.DictReader([])
dataclasses.make_dataclass('X',['a']) dataclasses.make_dataclass('X',['a'])(1) dataclasses.field() dataclasses.fields(D)[0] dataclasses.make_dataclass
itertools.chain([1]) itertools.groupby([1]) itertools.islice([1],1) itertools.accumulate([1]) itertools.cycle([1]) itertools.chain iter(C) UnicodeDecodeError('u',b'a',0,1,'r')
enum.Enum enum.Flag typing.NamedTuple typing.TypeVar('A') typing.Generic typing.get_type_hints inspect.signature(f) json.JSONEncoder()
"""
OBJECTS: Final = [
    each for line in _OBJECTS.strip().splitlines() for each in line.split() if "x*x" not in each
] + TARGETS
_SPECIAL: Final = """
__init_subclass__ __class_getitem__ __fspath__ __index__ __iter__ __next__ __enter__ __exit__ __len_hint__ __length_hint__ __format__
__missing__ __contains__ __instancecheck__ __subclasscheck__ __subclasshook__ __mro_entries__ __del__ __copy__ __deepcopy__ __getnewargs__
__getnewargs_ex__ __getstate__ __array__ __array_wrap__ __array_priority__ __torch_function__ __buffer__ __dlpack__ __bytes__ __dir__
_testMethodName _outcome _type_equality_funcs _namespace _held _write _modules _parameters __wrapped__ __signature__ __text_signature__
__match_args__ __post_init__ _fields _asdict _replace _make _missing_ _generate_next_value_ _ignore_ _order_ __members__ __orig_bases__
__parameters__ __origin__ __args__ __isabstractmethod__ __abstractmethods__ __type_params__ __qualname__ __module__ __doc__ __unittest_skip__
"""
WORDS: Final = _SPECIAL.split() + NAMES
_VALUES: Final = """f t C M E g e 0 -1 2**70 'a' b'a' None L('a') L('__globals__') B(b'a') K() K(a=f) {} [] () [f] {'a':f} globals() (lambda*a,**k:a) C() type print
len object Exception float('nan') slice(None) ... 1j range(3) np.ones(2) np.float64(1) torch.float32 lambda:out.append(locals())"""
VALUES: Final = _VALUES.split()
SHAPES: Final = (
    "out.append(({o}).{w})",
    "out.append(getattr({o}, '{w}')({v}))",
    "out.append(getattr({o}, L('{w}')))",
    "out.append(vars({o}))",
    "out.append(dir({o})); out.extend(getattr({o}, n, 0) for n in dir({o}))",
    "out.append(({o})({v}))",
    "out.append(({o})({v}, {v}))",
    "out.append(({o})[{v}])",
    "x = {o}\nx[{v}] = {v}\nout.append(x)",
    "x = {o}\nx.{w} = {v}\nout.append(x)",
    "x = {o}\ndel x.{w}\nout.append(x)",
    "x = {o}\nx |= {v}\nout.append(x)",
    "x = {o}\nx += {v}\nout.append(x)",
    "class X(type({o})):\n    {w} = {v}\nout.append(X); out.append(X({v}))",
    "class X({o}):\n    def {w}(self, *a, **k):\n        out.append((self, a, k))\n        return {v}\nout.append(X({v}))",
    "class X:\n    def {w}(self, *a, **k):\n        out.append((a, k))\n        return {o}\nout.append(({o2})(X()))",
    "class X:\n    def {w}(self, *a, **k):\n        out.append((a, k))\n        return {v}\nout.extend([str(X()), repr(X()), format(X(), 'a'), list(X()), X() + X()])",
    "class X(T):\n    {w} = {v}\n    def test_x(self): out.append(self)\nout.append(X('test_x').run()); out.append(unittest.main(exit=False))",
    "class X(T):\n    def {w}(self, *a, **k): out.append((a, k)); return {v}\n    def test_x(self): out.append(self)\nout.append(X('test_x').run({v}))",
    "class X(unittest.TestCase):\n    _testMethodName = '{w}'\n    def __init__(self): pass\n    def _callTestMethod(self, m): out.append(m)\nout.append(X().run())",
    "x = T('test_a')\nx.addTypeEqualityFunc(int, '{w}')\nx.assertEqual(1, 2)",
    "x = globals()\nx['{w}'] = {v}\nout.append({v})",
    "x = globals()\nx.update({{'{w}': {v}}})\nout.append(x.get('{w}'))",
    "dict.__setitem__(globals(), '{w}', {v})\nout.append(globals())",
    "dict.update(globals(), {{'{w}': {v}}})\nout.append(locals())",
    "out.append(copy.copy({o})); out.append(copy.deepcopy({o}))",
    "torch.save({o}, '/tmp/x.pt')\nout.append(torch.load('/tmp/x.pt', weights_only=False))",
    "torch.save({{'{w}': {o}}}, io.BytesIO())\nout.append(pickle.loads(pickle.dumps({o})))",
    "torch.jit.save({o}, '/tmp/x.pt')\nout.append(torch.jit.load('/tmp/x.pt'))",
    "out.append(open({v}, {v}))",
    "out.append(open({o}))",
    "pathlib.Path({v}).write_text({v})\nout.append(os.listdir({v}))",
    "out.append(os.path.join({v}, {o}))",
    "for n in dir({o}):\n    try: out.append(getattr({o}, n)())\n    except Exception as error: out.append(error)",
    "for n in dir({o}):\n    try: out.append(getattr({o}, n)({v}))\n    except Exception as error: out.append(error)",
    "x = C()\nx.__class__ = type({o})\nout.append(x)\nout.append(x.{w})",
    "x = {o}\nx.__class__ = C\nout.append(x.{w})",
    "class X:\n    __class__ = property(lambda s: type({o}))\nout.append(({o2})(X()))\nout.append(isinstance(X(), type({o})))",
    "class X:\n    __getattr__ = lambda s, n: {o}\nout.append(({o2})(X()))\nout.append(torch.tensor(X()))",
    "class X:\n    def __get__(self, i, c): return {o}\n    def __set__(self, i, v): out.append((i, v))\nclass Y(M): {w} = X()\ny = Y()\ny.{w} = {v}\nout.append(y.{w})",
    "@{o}\ndef x(*a): return a\nout.append(x)",
    "@{o}\nclass X: {w} = {v}\nout.append(X)",
    "def x():\n    try: yield {o}\n    except BaseException as error: out.append(error); yield error\ny = x()\nnext(y)\nout.append(y.throw(ValueError({v})))",
    "try:\n    raise ValueError({o}) from KeyError({v})\nexcept ValueError as error:\n    out += [error.__cause__, error.__context__, error.__traceback__, error.args, error.with_traceback(None)]",
    "try:\n    ({o})({v})\nexcept BaseException as error:\n    x = error.__traceback__\n    out += [x, getattr(x, 'tb_frame', 0), getattr(error, '{w}', 0), getattr(error, 'obj', 0)]",
    "with {o} as x:\n    out.append(x)",
    "match {o}:\n    case {{'{w}': x, **rest}}: out += [x, rest]\n    case [x, *rest]: out += [x, rest]\n    case object() as x: out.append(x)",
    "class X:\n    __match_args__ = ('{w}', 'a')\nmatch {o}:\n    case X(x, y): out += [x, y]",
    "class X(enum.Enum):\n    {w} = {v}\n    def _missing_(cls, v): return {o}\nout.append(X({v})); out.append(X.__members__)",
    "class X(enum.Enum):\n    def _generate_next_value_(name, start, count, last): out.append((name, last)); return {o}\n    A = enum.auto()\nout.append(X.A.value)",
    "out.append('{{0.{w}}} {{0[{w}]}}'.format({o}))",
    "out.append(f'{{({o})!r:>{{9}}}}'); out.append(format({o}, '{w}'))",
    "class X(string.Formatter):\n    def get_field(self, n, a, k): out.append((n, a, k)); return {o}, n\nout.append(X().format('{{0.{w}}}', {o}))",
    "class X(string.Template):\n    pattern = {v}\n    idpattern = '{w}'\nout.append(X('${w}').substitute({o}))",
    "out.append(np.array([{o}, {v}], dtype={v}))",
    "out.append(np.frombuffer({o}, dtype={v}))",
    "out.append(np.ones(3).astype({v}).view({v}))",
    "out.append(torch.as_tensor({o})); out.append(torch.tensor([{v}], dtype={v}))",
    "x = np.ones(3)\nx.{w} = {v}\nout.append(x)",
    "out.append(np.lib.stride_tricks.as_strided(np.ones(2), {v}, {v}))",
    "out.append(torch.as_strided(t, ({v},), ({v},), {v}))",
    "x = M()\nx.register_forward_hook({o})\nx.register_buffer('{w}', {v})\nout.append(x(t)); out.append(x.{w})",
    "x = M()\nx.__dict__.update({{'{w}': {v}}})\nout.append(x.{w}); out.append(x.state_dict())",
    "class X(torch.autograd.Function):\n    @staticmethod\n    def forward(c, x): c.{w} = {v}; return x * 1\n    @staticmethod\n    def backward(c, g): out.append(c.{w})\nX.apply(t).sum().backward()",
    "class X:\n    @classmethod\n    def __torch_function__(c, f, k, a=(), w=None): out.append((f, k, a, w)); return {o}\nout.append(torch.add(X(), {v})); out.append(torch.cat([t, X()]))",
    "class X:\n    __torch_function__ = {o}\nout.append(torch.mean(X())); out.append(torch.add({o2}, X()))",
    "out.append(torch.sparse_coo_tensor({v}, {o})); out.append(torch.sparse.mm({o}, {o2})); out.append(torch.spmm({v}, {o}))",
    "x = torch.ones(2).to_sparse()\nx.{w} = {v}\nout.append(x.{w})",
    "x = torch.ones(2).to('meta')\nx.{w} = {v}\nout.append(x.{w})",
    "t.register_hook({o})\n(t * t).sum().backward()\nout.append(t.grad)",
    "out.append(list(map({o}, [{v}], [{v}]))); out.append(sorted([{v}, {v}], key={o}))",
    "out.append(functools.reduce({o}, [{v}, {v}, {v}]))",
    "out.append(json.dumps({o}, default={o2})); out.append(json.loads('{{\"{w}\": 1}}', object_hook={o}))",
    "out.append(re.sub('a', {o}, 'a')); out.append(re.compile({v}).sub({o}, {v}))",
    "class X(type({o}), metaclass={o2}): {w} = {v}\nout.append(X)",
    "x = type('{w}', ({o2},), {{'{w}': {v}}})\nout.append(x)",
    "X = collections.namedtuple('X', 'a b', module={v}, defaults=[{o}])\nout.append(X._make([{v}, {v}])._replace(a={o}))",
    "X = dataclasses.make_dataclass('X', [('{w}', {v}, dataclasses.field(default_factory={o}))])\nout.append(X())",
    "dist.register_kl(type({o}), dist.Normal)({o2})\nout.append(dist.kl_divergence({o}, dist.Normal(0., 1.)))",
    "class X(dist.Distribution):\n    arg_constraints = {{'{w}': {v}}}\n    {w} = {v}\nout.append(X(validate_args=False)); out.append(X().expand({v}))",
    "out.append(einops.rearrange(t, {v})); out.append(einops.reduce(t, 'a -> ', {o}))",
    "display({o}); out.append(display({v}, {v}))",
    "out.append(inspect.getmembers({o})); out.append(inspect.signature({o}))",
    "weakref.finalize(C(), {o}, {v})\nx = weakref.ref(f, {o})\nout.append(x())",
    "sys.stdout.write({v})\nsys.stdout = {o}\nprint({v}, file={o2})\nout.append(sys.stdout)",
    "warnings.warn({v}, {o})\nwarnings.showwarning = {o}",
    "os.environ['{w}'] = {v}\nout.append(os.environ.get('{w}')); os.chdir({v})",
    "x = {o}\nout.append([y for y in x])\nout.append(dict(x))\nout.append(x.{w})",
    "async def x(): return {o}\ny = x()\nout.append(y.cr_frame); y.send(None)",
    "class X(nn.Parameter):\n    {w} = {v}\nout.append(X); x = X(torch.ones(2)); x.{w} = {o}; out += [x, x.{w}, vars(x), x * 2]",
    "x = Own(torch.ones(2))\nx.{w} = {v}\nOwn.{w} = {o}\nout += [x, x.{w}, Own.{w}, copy.deepcopy(x), x.sum()]",
    "out.append(torch.Tensor._make_subclass({o}, {v})); out.append(torch.Tensor._make_subclass(Own, {o}))",
    "class X(Meta):\n    {w} = {v}\nout.append(X); out.append(X('a', ({o},), {{'{w}': {v}}}))",
    "class X(Meta):\n    def __new__(m, *a): out.append((m, a)); return {o}\nclass Y(metaclass=X): {w} = {v}\nout.append(Y)",
    "class X(type):\n    def __call__(c, *a): out.append((c, a)); return super().__call__(*a)\nclass Y({o}, metaclass=X): {w} = {v}\nout.append(Y({v}))",
    "out.append(type.__new__({o}, '{w}', ({o2},), {{'{w}': {v}}})); out.append(type.__call__({o}, {v}))",
    "out.append(Meta('{w}', ({o2},), {{'{w}': {o}}})); out.append(Meta.__new__({o}, '{w}', (), {{}}))",
    "out.append(operator.attrgetter('{w}', 'a.{w}')({o})); out.append(operator.methodcaller('{w}', {v})({o}))",
    "x = functools.singledispatch({o})\nx.register({o2}, {v})\nout.append(x({v})); out.append(x.registry); out.append(x.dispatch({o2}))",
    "x = functools.singledispatch(f)\n@x.register\ndef y(a: {o}): out.append(a)\nout.append(x({v}))",
    "f.__name__ = {v}\nf.__wrapped__ = {o}\nC.__qualname__ = {v}\nout += [f.__wrapped__, f.__name__, f, C, inspect.signature(f)]",
    "f.{w} = {v}\nC.{w} = {o}\nMade.{w} = {v}\nout += [f.{w}, C.{w}, Made.{w}]",
    "torch.library.custom_op('a::{w}', {o}, mutates_args=())\nout.append(torch.ops.a.{w}); out.append(torch.ops.a.{w}({v}))",
    "op.register_autograd({o}, setup_context={o2})\nout.append(op(t * 1).sum().backward())",
    "with torch.profiler.profile(on_trace_ready={o}, schedule={o2}) as x: x.step()\nout.append(x.{w})",
    "out.append(hashlib.new({v}, {v})); out.append(struct.unpack({v}, {v})); out.append(zlib.decompress(zlib.compress({v})))",
    "out.append(gzip.open({v}, {v})); out.append(gzip.GzipFile(fileobj={o}).read())",
    "out.append(decimal.Decimal({v})); decimal.getcontext().{w} = {v}; out.append(uuid.UUID({v})); out.append(fractions.Fraction({v}))",
    "global {w}\n{w} = {v}\nout.append({w})",
    "out.append((lambda *a, {w}={o}: {w})()); out.append(f(**{{'{w}': {v}}}))",
)


def program(chance: random.Random, tries: int = 3) -> str:
    """A program of some shapes, each within functions of its own: nothing that one raises ends the program."""
    return PRELUDE + MORE + "".join(attempt(chance) for _ in range(tries))


def attempt(chance: random.Random) -> str:
    """One shape with objects, names and values."""
    shape = chance.choice(SHAPES)
    if chance.random() < 0.3:
        shape += "\n" + chance.choice(SHAPES)
    names = {"o": chance.choice(OBJECTS), "o2": chance.choice(OBJECTS), "w": chance.choice(WORDS)}
    first, *rest = shape.format(**names, v="\0").split("\0")
    text = first + "".join(chance.choice(VALUES) + piece for piece in rest)
    body = text.replace("\n", "\n        ")
    return (
        f"\ndef attempt():\n    try:\n        {body}\n    except BaseException as error: out.append(error)\n"
        "try: attempt()\nexcept BaseException as error: out.append(error)\n"
    )
