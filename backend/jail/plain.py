"""Which programs may share a process: those that consist of listed words only.

Most of what a small program costs is a process of its own: to copy the pages of memory that a run writes to takes longer
than the run. A plain program calls listed functions and methods, which compute, and nothing else. It has no classes but layers,
catches nothing, knows no attribute that is not listed and none of Python's functions by which others could be reached, so that
the walls of `gradflow.engine.sandbox` have nothing to hold off: what it leaves behind is garbage, and the engine begins each run anew.

Decided by the service before the program runs, from its text, in one pass over it: nothing is parsed, and no process of a
run has a say. What this does not understand is not plain, which costs time and nothing else.
"""

from __future__ import annotations

import builtins
import re
from collections.abc import Iterable
from keyword import iskeyword
from pathlib import Path
from typing import Final

from gradflow.backend.jail.wire import Answer, Ending, Killed

LONGEST: Final = 8192
_DEEPEST: Final = 20
"""Brackets within one another."""


def _listed(words: str) -> frozenset[str]:
    return frozenset(words.split())


_KEYWORDS: Final = _listed(
    "False None True and as assert break continue def del elif else for if in is lambda not or pass return with"
)
_IMPORT: Final = re.compile(
    r"(?:import +(?:math|(?:torch(?:\.(?:nn(?:\.functional)?|optim|autograd))?)(?: +as +(?P<alias>[A-Za-z]\w*))?)"
    r"|from +torch +import +(?:nn|optim|autograd|tensor)|from +torch\.nn +import +functional(?: +as +F)?)[ \t]*(?=[;\n\r#]|$)"
)
_LAYER: Final = re.compile(
    r"class +[A-Za-z]\w* *\( *(?:torch\.)?(?:nn\.)?Module *\) *(?=:)|def +__init__ *\( *self\b"
    r"|super *\( *(?:[A-Za-z]\w* *, *self *)?\) *\. *__init__ *\( *\)",
    re.ASCII,
)
"""The class of a layer, and how it begins."""
_OWN: Final = re.compile(r"\bself *\. *([A-Za-z]\w*) *(?:=(?!=)|:)|\bdef +([A-Za-z]\w*) *\( *self\b", re.ASCII)
_MODULES: Final = _listed("torch nn F optim math autograd functional func utils")
_BUILTINS: Final = _listed(
    "abs all any bool dict enumerate float int isinstance len list max min print range reversed round sorted str sum tuple zip"
)
"""Those that a plain program may name."""
_OTHER_BUILTINS: Final = frozenset(name for name in dir(builtins) if name not in _BUILTINS) - _KEYWORDS

WORDS: Final = _listed(
    # how tensors are made
    "tensor Tensor FloatTensor as_tensor zeros ones full eye arange linspace rand randn randint randperm zeros_like"
    " ones_like full_like rand_like randn_like new_tensor new_zeros new_ones new_full normal_ uniform_ manual_seed"
    # what they are
    " shape size dim ndim numel dtype device data item tolist is_leaf requires_grad requires_grad_ grad grad_fn T mT"
    " float32 float64 int64 int32 bool long float double int to cpu type_as clone detach detach_ contiguous is_contiguous"
    # element by element
    " add sub mul div neg pow square sqrt rsqrt reciprocal exp exp2 expm1 log log2 log10 log1p sin cos tan asin acos atan"
    " sinh cosh tanh sigmoid relu abs sign floor ceil round clamp erf where maximum minimum eq ne lt le gt ge add_ sub_ mul_ div_"
    " zero_ fill_ copy_ clamp_ neg_ exp_ pow_ relu_"
    # sums, products, places
    " sum mean prod max min amax amin argmax argmin std var norm logsumexp cumsum cumprod softmax log_softmax all any"
    " mm mv bmm dot matmul outer einsum addmm inner trace det inverse"
    " t transpose permute view reshape flatten squeeze unsqueeze expand expand_as repeat stack cat concat chunk split hstack"
    " vstack unbind index_select gather masked_fill scatter select narrow flip roll diag diagonal tril triu sort topk"
    # gradients
    " backward retain_grad register_hook remove no_grad enable_grad autograd functional jacobian hessian vjp jvp func vmap jacrev jacfwd"
    " name next_functions isnan isinf isfinite allclose equal"
    # layers and losses
    " nn Linear Bilinear Sequential ModuleList ReLU Sigmoid Tanh Softmax LogSoftmax LeakyReLU ELU GELU SiLU Softplus Identity Flatten"
    " Dropout BatchNorm1d BatchNorm2d LayerNorm GroupNorm Conv1d Conv2d MaxPool1d MaxPool2d AvgPool2d AdaptiveAvgPool2d Embedding"
    " RNN LSTM GRU RNNCell LSTMCell GRUCell MultiheadAttention Parameter parameters named_parameters weight bias train eval zero_grad in_features"
    " out_features MSELoss L1Loss SmoothL1Loss HuberLoss CrossEntropyLoss NLLLoss BCELoss BCEWithLogitsLoss KLDivLoss mse_loss l1_loss"
    " smooth_l1_loss huber_loss cross_entropy nll_loss binary_cross_entropy binary_cross_entropy_with_logits kl_div gelu silu elu"
    " leaky_relu softplus normalize one_hot linear conv1d conv2d max_pool2d avg_pool2d dropout embedding layer_norm utils"
    " clip_grad_norm_ clip_grad_value_ Module forward"
    # optimizers, lists, numbers
    " optim SGD Adam AdamW RMSprop Adagrad step append extend pop insert items keys values pi e"
)
"""What may stand after a dot. None of it changes what another run would find: settings, modes and modules are not among them."""

TAKEN: Final = frozenset((Path(__file__).parent / "taken_names.txt").read_text().split())
"""Names that a layer of the program may not have for its own, since what is no layer has them too: ``self.numpy = 1``."""

_TOKEN: Final = re.compile(
    r"""(?P<skip>[ \t\n\r\\]+|\#[^\n\r]*)
    |(?P<text>(?:[rRbBuU]?)(?:\"{3}(?:[^"\\]|\\.|\"(?!\"\"))*\"{3}|'{3}(?:[^'\\]|\\.|'(?!''))*'{3}|"(?:[^"\\\n\r]|\\.)*"|'(?:[^'\\\n\r]|\\.)*'))
    |(?P<filled>[fF](?!\"\"\"|''')(?:"[^"\\\n\r\#]*"|'[^'\\\n\r\#]*'))
    |(?P<number>(?:\d[\d_]*(?:\.[\d_]*)?|\.\d[\d_]*)(?:[eE][+-]?\d+)?j?)
    |(?P<word>[A-Za-z_]\w*(?![\w"']))
    |(?P<open>[(\[{])|(?P<close>[)\]}])
    |(?P<dot>\.)
    |(?P<sign>->|[=!<>:+\-*/@%&|^~,;]=?)""",
    re.VERBOSE | re.ASCII | re.DOTALL,
)
_BY_THE_PROCESS: Final = (b"RecursionError", b"MemoryError", b'"code":"memory', b'"code":"killed"', b'"code":"untold"')
_NAMES: Final = re.compile(r"(\.\s*)?\b([A-Za-z_]\w*)", re.ASCII)
_FIELD: Final = re.compile(r"""[^{}]*(?:\{(?:[^{}"']|\{[^{}"']*\})*\}[^{}]*)*""")
"""Without quotes in the braces: from Python 3.12 on they would begin a text there, and the f-string end elsewhere."""


def is_plain(source: str, inputs: Iterable[str] = ()) -> bool:
    """Whether a program that consists of this, with inputs of these names, may run where others have run and will run."""
    if len(source) > LONGEST or not all(name.isascii() and _may_stand(name) for name in inputs):
        return False
    return _Reader(source).accepts_all()


class _Reader:
    """Goes through a program once. ``own``: what it calls the attributes and methods of its layers."""

    def __init__(self, source: str) -> None:
        self.source = source
        own = {name for pair in _OWN.findall(source) for name in pair if name} if "self" in source else set[str]()
        self.own = own - TAKEN
        self.modules = _MODULES
        self.depth = 0
        self.after_dot = False
        self.of_module = False  # whether what stands before the dot is a module, by its name
        self.wants_dot = False

    def accepts_all(self) -> bool:
        """Whether each piece is of a kind that is known, and may stand where it does."""
        position = 0
        while position < len(self.source):
            token = (
                _IMPORT.match(self.source, position)
                or _LAYER.match(self.source, position)
                or _TOKEN.match(self.source, position)
            )
            if token is None or not self._accepts(token):
                return False
            position = token.end()
        return not self.wants_dot

    def _accepts(self, token: re.Match[str]) -> bool:
        kind = token.lastgroup
        if kind == "skip":
            return True
        if self.wants_dot and kind != "dot":
            return False
        self.wants_dot = False
        fits = True
        match kind:
            case "alias":
                fits = _may_stand(token["alias"])
                self.modules |= {token["alias"]}
            case "filled":
                fits = self._may_be_filled(token[0])
            case "word":
                fits = self._word(token[0])
            case "open":
                self.depth += 1
                fits = self.depth <= _DEEPEST
            case "close":
                self.depth -= 1
        self.after_dot = kind == "dot"
        self.of_module = self.of_module and kind in ("word", "dot")
        return fits

    def _word(self, word: str) -> bool:
        """A module is only looked into: were it kept under another name, what may be found in it would not be known."""
        if not self.after_dot:
            self.of_module = self.wants_dot = word in self.modules
            return _may_stand(word)
        if self.of_module and word in _MODULES:
            self.wants_dot = True
        else:
            known = word in WORDS or (not self.of_module and word in self.own)
            self.of_module = False
            return known
        return word in WORDS

    def _may_be_filled(self, text: str) -> bool:
        """Whether an f-string has its braces in pairs, and none but listed words in it."""
        if not _FIELD.fullmatch(text[2:-1]):
            return False
        return all(
            word in WORDS or (word in self.own and not any(name in text for name in self.modules))
            if dot
            else _may_stand(word)
            for dot, word in _NAMES.findall(text[1:])
        )


def depends_on_the_process(result: Answer | Killed) -> bool:
    """Whether a plain program might have ended otherwise where no other ran before: by its memory, or by how deep it went."""
    if isinstance(result, Killed):
        return result.ending in (Ending.EXITED, Ending.SIGNALLED)
    return any(word in result.payload for word in _BY_THE_PROCESS)


def _may_stand(word: str) -> bool:
    """Whether a word that follows no dot is a listed keyword, a listed function of Python's, or a name of the program's own."""
    if word in _KEYWORDS or word == "_":
        return True
    return not word.startswith("_") and word not in _OTHER_BUILTINS and not iskeyword(word) and word != "match"
