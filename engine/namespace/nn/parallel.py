"""``torch.nn.DataParallel`` as in a PyTorch without a graphics card: a module that calls another one."""

from __future__ import annotations

from typing import Any, Final

from gradflow.engine.namespace.nn.module import Module


class DataParallel(Module):
    """Calls ``module``, whose parameters are named under ``module.`` here; there are no devices to share the work."""

    def __init__(self, module: Module, device_ids: Any = None, output_device: Any = None, dim: int = 0) -> None:
        super().__init__()
        self.module = module
        self.device_ids: list[Any] = []

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        """The call of the module."""
        return self.module(*inputs, **kwargs)


CLASSES: Final[dict[str, tuple[type[Module], ...]]] = {"data_parallel": (DataParallel,)}
