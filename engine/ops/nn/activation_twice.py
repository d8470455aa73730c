"""The second derivatives of activations in the pieces that PyTorch records them in, for a third.

Each takes the upstream gradient of the gradient first, then what the function of the gradient was given.
"""

from __future__ import annotations

import math

import numpy as np

from gradflow.engine.ops.pointwise.with_numbers import combined
from gradflow.engine.registry import REGISTRY, helper
from gradflow.engine.tensor import Tensor


@helper()
def softplus_twice(g, input, saved, beta, threshold):
    """That of softplus, through its sigmoid."""
    both = combined("mul", g, input)
    scaled = combined("mul", saved, beta)
    curve = REGISTRY["sigmoid_backward"].call(both, REGISTRY["sigmoid"].call(scaled))
    low = Tensor(np.asarray(scaled._a < threshold, both._a.dtype))
    return combined("mul", combined("mul", curve, low), beta)


@helper()
def log_sigmoid_twice(g, input, saved):
    """That of the logarithm of a sigmoid."""
    both, gate = combined("mul", g, input), REGISTRY["sigmoid"].call(saved)
    return combined("mul", combined("mul", both, combined("sub", gate, 1)), gate)


@helper()
def gelu_twice(g, input, saved):
    """That of the exact gelu: the normal density is composed of an exponential function."""
    square = combined("mul", saved, saved)
    density = combined("mul", REGISTRY["exp"].call(combined("mul", square, -0.5)), 1 / math.sqrt(2 * math.pi))
    product = combined("mul", square, density)
    slope = combined("sub", combined("mul", density, 2), product)
    return combined("mul", combined("mul", g, input), slope)


@helper()
def elu_twice(g, input, saved, alpha, scale, input_scale, is_result):
    """That of the exponential units: the gradient again where the unit is curved."""
    both = combined("mul", combined("mul", g, input), input_scale)
    if not is_result:
        both = REGISTRY["elu_backward"].call(both, saved, alpha, scale, input_scale, is_result)
    return combined("mul", both, Tensor(np.asarray(saved._a < 0, both._a.dtype)))


@helper()
def mse_twice(g, input, shape, reduction):
    """That of the squared difference."""
    doubled = combined("mul", combined("mul", g, input), 2)
    count = int(np.prod(shape, dtype=np.int64))
    return combined("div", doubled, count) if reduction == "mean" else doubled
