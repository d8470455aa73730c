"""The autograd engine: NumPy with the semantics of PyTorch. `gradflow.engine.run` is the entry point.

The rooms and which may import which: docs/architecture.md.
"""

from gradflow.engine.state import METHOD_INSTALLERS


def _install_methods() -> None:
    """Tensor's operators and methods come from rooms above that of Tensor."""
    from gradflow.engine.namespace.tensor import methods

    methods.install()


METHOD_INSTALLERS.append(_install_methods)
