"""What a tensor is: array, storage, dtype, printing."""

from gradflow.engine.numerics.strides import address
from gradflow.engine.tensor.storage import Storage
from gradflow.engine.tensor.tensor import Size, Tensor, check_dim

__all__ = ["Size", "Storage", "Tensor", "address", "check_dim"]
