"""``torch.nn.DataParallel`` as in a PyTorch without a graphics card: a module that calls another one."""

from __future__ import annotations

from typing import Any, Final

from gradflow.engine import errors
from gradflow.engine.namespace.nn.module import Module
from gradflow.engine.namespace.nn.module_attributes import allow_module


class DataParallel(Module):
    """Calls ``module``, whose parameters are named under ``module.`` here; there are no devices to share the work."""

    def __init__(self, module: Module, device_ids: Any = None, output_device: Any = None, dim: int = 0) -> None:
        super().__init__()
        self.module = module
        self.device_ids: list[Any] = []

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        """The call of the module."""
        return self.module(*inputs, **kwargs)


class DistributedDataParallel(Module):
    """Calls ``module`` in several processes. There is one process: raises ValueError, as without a process group."""

    def __init__(self, module: Module, *settings: Any, **more: Any) -> None:
        super().__init__()
        raise errors.MODULE_ARGUMENT(
            message="Default process group has not been initialized, please make sure to call init_process_group."
        )


_HOMES: Final = {DataParallel: "data_parallel", DistributedDataParallel: "distributed"}


def members() -> dict[str, dict[str, Any]]:
    """What the modules show, by their full names."""
    for cls, home in _HOMES.items():
        cls.__module__ = f"torch.nn.parallel.{home}"
        allow_module(cls)
    return {"torch.nn.parallel": {cls.__name__: cls for cls in _HOMES}}
