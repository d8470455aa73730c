"""What the formats of floating point numbers hold."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np

_finfo: Any = ml_dtypes.finfo  # which has no types


def limits(dtype: np.dtype) -> Any:
    """What ``np.finfo`` tells of a dtype, of bfloat16 too."""
    return _finfo(dtype)
