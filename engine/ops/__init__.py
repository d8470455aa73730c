"""Declarations of all operations. Importing this package checks them; a formula with an unknown name fails here."""

from gradflow.engine.dispatch import compile  # makes functions of the declarations
from gradflow.engine.ops import creation, random
from gradflow.engine.ops.index import gathering, indexing, scatter_reduce, slices, sparse_entries, take_masked
from gradflow.engine.ops.linalg import (
    decompositions,
    distance,
    eigen,
    fourier,
    householder,
    least_squares,
    lu,
    matmul,
    products,
    solution_pieces,
    triangular,
)
from gradflow.engine.ops.loss import cross_entropy, ctc, loss_backward, losses, margin
from gradflow.engine.ops.nn import (
    activation,
    activation_backward,
    activation_exponential,
    activation_smooth,
    activation_twice,
    composed_backward,
    embedding,
    fake_quantize,
    group_norm,
    linear,
    normalization,
    normalization_backward,
    prelu_glu_backward,
    recurrent,
    reduced_kernels,
    reduced_norms,
    softmax,
    weight_norm,
)
from gradflow.engine.ops.nn.spatial import (
    conv,
    fractional_pool,
    grid_sample,
    padding,
    pool,
    resample,
    vision,
)
from gradflow.engine.ops.pointwise import (
    arithmetic,
    bessel,
    clamp_where,
    comparisons_in_place,
    complex,
    division,
    exponential,
    gamma,
    integers,
    logic,
    powers,
    rounding,
    special,
    trigonometric,
    with_numbers,
)
from gradflow.engine.ops.reduce import counting, cumulative, extrema, medians, norms, reductions, sorting, statistics
from gradflow.engine.ops.shape import (
    conversions,
    diagonals,
    joining,
    repeat_roll_flip,
    slice_scatter,
    strided,
    view_copies,
    views,
)
from gradflow.engine.registry import REGISTRY

REGISTRY.finish()
