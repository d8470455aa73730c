"""Every public module path of PyTorch, filled with what the engine provides elsewhere.

``torch.optim.sgd`` shows the ``SGD`` of ``torch.optim`` because PyTorch's own module does: which module shows what, and
where it is at home, is recorded in `gradflow.engine.pytorch.modules`. Nothing is looked up before a program asks.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping

from gradflow.engine.pytorch.modules import MODULES, shown, starred
from gradflow.engine.sandbox.stand_ins import MISSING, Module


class _Homes:
    """Finds the members of modules at their homes."""

    def __init__(self, made: dict[str, Module]) -> None:
        self._made = made

    def get(self, module: str, name: str) -> object:
        home = shown(module).get(name)
        if home is None:
            return MISSING
        inner = self._made.get(home)
        if inner is not None:
            return inner
        owner, _, own = home.rpartition(".")
        return self._made[owner]._own(own) if owner in self._made else MISSING

    def names(self, module: str) -> Iterator[str]:
        return (name for name in shown(module) if self.get(module, name) is not MISSING)

    def starred(self, module: str) -> Collection[str]:
        return starred(module)


def completed(made: dict[str, Module], further: Iterable[Mapping[str, Mapping[str, object]]]) -> dict[str, Module]:
    """The modules that were made, and those that PyTorch has besides, by full name.

    ``further``: members by the full name of a module that shows them; they are put where they are at home.
    """
    homes = _Homes(made)
    for name, section in MODULES.items():
        if section and name not in made:
            made[name] = Module(name, {})
    for tables in further:
        for name, table in tables.items():
            _enter(made, name, table)
    for module in made.values():
        module._extend(homes)
    return made


def _enter(made: dict[str, Module], name: str, table: Mapping[str, object]) -> None:
    if name not in made:
        made[name] = Module(name, {})
        package, _, leaf = name.rpartition(".")
        if package in made and not shown(name):
            made[package]._put(leaf, made[name])
    for member, value in table.items():
        owner, _, own = shown(name).get(member, f"{name}.{member}").rpartition(".")
        for module, title in ((made.get(owner), own), (made[name], member)):
            if module is not None and module._own(title) is MISSING:
                module._put(title, value)
