"""``torch.nn``, ``torch.optim`` and ``torch.utils.data`` as programs import them, and what they may do with these."""

from __future__ import annotations

from typing import Any

from gradflow.engine.namespace.autograd.stateless import functional_call
from gradflow.engine.namespace.data import datasets, samplers
from gradflow.engine.namespace.functional import torch_nn_functional
from gradflow.engine.namespace.functions.legacy_types import LegacyType
from gradflow.engine.namespace.layers import (
    activation,
    attention,
    conv,
    cross_map,
    embeddings,
    fusion,
    linear,
    losses,
    norm,
    packed_sequence,
    recurrent,
    recurrent_cells,
    shape,
    transformer,
)
from gradflow.engine.namespace.nn import (
    abstract,
    containers,
    global_hooks,
    init,
    lazy,
    own_parameters,
    parallel,
    parameter_containers,
    parametrizations,
    parametrize,
    utils,
)
from gradflow.engine.namespace.nn.devices import check_device
from gradflow.engine.namespace.nn.module import Module
from gradflow.engine.namespace.nn.module_attributes import Registering, allow_module, inherited_getattr, register_tables
from gradflow.engine.namespace.nn.parameter import Buffer, Parameter
from gradflow.engine.namespace.nn.state_dict import IncompatibleKeys
from gradflow.engine.namespace.optim import composed_schedulers, cyclic_schedulers, schedulers, swa_utils
from gradflow.engine.namespace.optim.adafactor_muon import Adafactor, Muon
from gradflow.engine.namespace.optim.adam import Adadelta, Adagrad, Adam, AdamW, RMSprop, SparseAdam
from gradflow.engine.namespace.optim.adam_variants import Adamax, NAdam, RAdam
from gradflow.engine.namespace.optim.lbfgs import LBFGS
from gradflow.engine.namespace.optim.optimizer import Optimizer
from gradflow.engine.namespace.optim.rprop_asgd import ASGD, Rprop
from gradflow.engine.namespace.optim.sgd import SGD
from gradflow.engine.sandbox.classes.kept_whole import keep_whole
from gradflow.engine.sandbox.gate import allow, is_public, read_special_by
from gradflow.engine.sandbox.program_classes import show_attributes_of
from gradflow.engine.sandbox.stand_ins import Module as Namespace

_TABLES_OF_CLASSES: tuple[dict[str, tuple[type, ...]], ...] = (
    {
        "container": (*containers.CLASSES, *parameter_containers.CLASSES), "linear": linear.CLASSES, "activation": activation.CLASSES,
        "dropout": activation.DROPOUTS, "loss": losses.CLASSES, "module": (Module,), "rnn": (*recurrent.CLASSES, *recurrent_cells.CLASSES),
        "transformer": transformer.CLASSES,
    },
    {"activation": attention.CLASSES},
    abstract.CLASSES, conv.ABSTRACT, norm.ABSTRACT, {"lazy": (lazy.LazyModuleMixin,)},
    conv.CLASSES, norm.CLASSES, cross_map.CLASSES, shape.CLASSES, embeddings.CLASSES, lazy.CLASSES,
)  # fmt: skip
_ELSEWHERE = {
    "Embedding": "sparse", "EmbeddingBag": "sparse", "Flatten": "flatten", "Unflatten": "flatten",
    "CosineSimilarity": "distance", "PairwiseDistance": "distance", "PReLU": "activation",
}  # fmt: skip
_OPTIMIZERS = (
    SGD, Adam, AdamW, RMSprop, Adagrad, Adadelta, Adamax, NAdam, RAdam, SparseAdam, Adafactor, Muon, LBFGS, ASGD, Rprop,
)  # fmt: skip


def _public(cls: type) -> list[str]:
    return [name for name in dir(cls) if is_public(name)]


def _classes() -> dict[str, type]:
    """The classes of modules by name, each in the place where PyTorch has it."""
    found: dict[str, type] = {}
    allow_module(Registering, subclass=False)
    show_attributes_of(Registering)
    keep_whole(Registering, datasets.Dataset)
    register_tables()
    read_special_by(("__getattr__",), inherited_getattr)
    inner = attention.NonDynamicallyQuantizableLinear
    allow_module(inner)
    for place, classes in (item for table in _TABLES_OF_CLASSES for item in table.items()):
        for cls in classes:
            cls.__module__ = f"torch.nn.modules.{_ELSEWHERE.get(cls.__name__, place)}"
            allow_module(cls)
            check_device(cls)
            found[cls.__name__] = cls
    return found


def _packages(classes: dict[str, type]) -> list[Namespace]:
    """``torch.nn.modules`` and the modules in it, with the classes that they define."""
    inside: dict[str, dict[str, Any]] = {"module": dict(global_hooks.FUNCTIONS)}
    for name, cls in classes.items():
        inside.setdefault(cls.__module__.rpartition(".")[2], {})[name] = cls
    made = {name: Namespace(f"torch.nn.modules.{name}", members) for name, members in inside.items()}
    public = {name: cls for name, cls in classes.items() if is_public(name)}
    return [Namespace("torch.nn.modules", {**public, **made}), *made.values()]


def _optimizers() -> dict[str, type]:
    classes: tuple[type, ...] = (Optimizer, *_OPTIMIZERS)
    for cls in classes:
        cls.__module__ = f"torch.optim.{cls.__name__.lower()}"
        allow(cls, (*_public(cls), "state", "param_groups", "defaults"), writable=is_public, subclass=True)
    return {cls.__name__: cls for cls in classes}


def _averages() -> dict[str, Any]:
    for cls in swa_utils.CLASSES:
        cls.__module__ = "torch.optim.swa_utils"
    model, rates = swa_utils.CLASSES
    allow_module(model)
    allow(rates, _public(rates), readable=_own, writable=is_public, subclass=True)
    return {**{cls.__name__: cls for cls in swa_utils.CLASSES}, **swa_utils.FUNCTIONS}


def _schedulers() -> dict[str, type]:
    classes: tuple[type, ...] = (*schedulers.CLASSES, *cyclic_schedulers.CLASSES, *composed_schedulers.CLASSES)
    for cls in classes:
        cls.__module__ = "torch.optim.lr_scheduler"
        allow(
            cls,
            (*_public(cls), "_reset", "_get_lr_called_within_step"),
            readable=_own,
            writable=is_public,
            subclass=True,
        )
    return {**{cls.__name__: cls for cls in classes}, "_LRScheduler": schedulers.LRScheduler}


def _own(held: object, name: str) -> bool:
    return (is_public(name) or name in ("_is_initial", "_last_lr", "_step_count")) and name in vars(held)


def _data() -> dict[str, Any]:
    classes: tuple[type, ...] = datasets.CLASSES
    for cls in classes:
        part = "dataloader" if "DataLoader" in cls.__name__ else "sampler" if cls in samplers.CLASSES else "dataset"
        cls.__module__ = f"torch.utils.data.{part}"
        allow(cls, _public(cls), readable=_own, subclass=True)
    whole: dict[str, Any] = {**{cls.__name__: cls for cls in datasets.CLASSES}, **datasets.FUNCTIONS}
    return whole | {
        part: Namespace(f"torch.utils.data.{part}", whole)
        for part in ("dataset", "dataloader", "sampler", "distributed")
    }


def _packed() -> Namespace:
    cls = packed_sequence.PackedSequence
    allow(cls, (*_public(cls), "count", "index"), shown_as=cls)
    return Namespace("torch.nn.utils.rnn", {**packed_sequence.FUNCTIONS, "PackedSequence": cls})


def _parametrized() -> tuple[Namespace, Namespace, Namespace]:
    cls = parametrize.ParametrizationList
    own: tuple[type, ...] = (parametrizations._WeightNorm, parametrizations._SpectralNorm, parametrizations._Orthogonal)
    for each in (cls, *own):
        allow_module(each)
    cls.__module__ = "torch.nn.utils.parametrize"
    first = Namespace("torch.nn.utils.parametrize", {**parametrize.FUNCTIONS, "ParametrizationList": cls})
    ready = Namespace("torch.nn.utils.parametrizations", parametrizations.PARAMETRIZATIONS)
    call = {"functional_call": functional_call}
    return first, ready, Namespace("torch.nn.utils.stateless", call)


def modules() -> dict[str, Namespace]:
    """The modules by full name, without those that were made before."""
    own_parameters.install()
    allow(IncompatibleKeys, ("missing_keys", "unexpected_keys", "count", "index"))
    allow(embeddings.ASMoutput, ("output", "loss", "count", "index"))
    nn_functional = Namespace("torch.nn.functional", torch_nn_functional.functions())
    nn_init = Namespace("torch.nn.init", init.FUNCTIONS)
    clip = Namespace("torch.nn.utils.clip_grad", {n: f for n, f in utils.FUNCTIONS.items() if n.startswith("clip")})
    nn_rnn = _packed()
    nn_parametrize, nn_ready, stateless = _parametrized()
    nn_utils = Namespace(
        "torch.nn.utils",
        {
            **utils.FUNCTIONS,
            **parametrizations.FUNCTIONS,
            **fusion.FUNCTIONS,
            "clip_grad": clip,
            "rnn": nn_rnn,
            "parametrize": nn_parametrize,
            "parametrizations": nn_ready,
            "stateless": stateless,
        },
    )
    allow(Buffer, ("persistent",), shown_as=LegacyType("Tensor", None))
    nn_parameter = Namespace("torch.nn.parameter", {"Parameter": Parameter, "Buffer": Buffer})
    classes = _classes()
    layers = _packages(classes)
    nn = Namespace(
        "torch.nn",
        {
            **{name: cls for name, cls in classes.items() if is_public(name) and name != "LazyModuleMixin"},
            "DataParallel": parallel.DataParallel,
            "modules": layers[0],
            "Parameter": Parameter,
            "Buffer": Buffer,
            "UninitializedParameter": lazy.UninitializedParameter,
            "UninitializedBuffer": lazy.UninitializedBuffer,
            "functional": nn_functional,
            "init": nn_init,
            "utils": nn_utils,
            "parameter": nn_parameter,
        },
    )
    rates = Namespace("torch.optim.lr_scheduler", _schedulers())
    swa = Namespace("torch.optim.swa_utils", _averages())
    optim = Namespace("torch.optim", {**_optimizers(), "lr_scheduler": rates, "swa_utils": swa})
    loading = Namespace("torch.utils.data", _data())
    parts = [getattr(loading, part) for part in ("dataset", "dataloader", "sampler")]
    made = (
        nn_functional,
        nn_init,
        clip,
        nn_rnn,
        nn_parametrize,
        nn_ready,
        stateless,
        nn_utils,
        nn_parameter,
        nn,
        rates,
        swa,
        optim,
        loading,
        *parts,
        *layers,
    )
    return {module.__name__: module for module in made}
