"""The gradients of inverses and solutions in the pieces that PyTorch records them in."""

from __future__ import annotations

import numpy as np

from gradflow.engine.ops.linalg.decompositions import H, column, conjugated, det_share
from gradflow.engine.ops.reduce.reductions import summed
from gradflow.engine.registry import REGISTRY, helper


@helper()
def inverse_pieces(g, out):
    """The gradient of an inverse: its last factor first."""
    right = g @ H(out)
    return -(H(out) @ right)


@helper()
def solve_pieces(g, A, out, shape, shape_of_right, vector):
    """The gradients of a solution for the right side and for the matrix: the equations are solved once."""
    right = column(g) if vector else g
    adjoint = REGISTRY["linalg_solve"].call(H(A), right, False)
    of_matrix = -(adjoint @ H(column(out) if vector else out))
    of_right = REGISTRY["squeeze_dim"].call(adjoint, -1) if vector else adjoint
    return summed(of_right, shape_of_right), summed(of_matrix, shape)


@helper()
def determinant_pieces(g, input, out):
    """The gradient of a determinant by an equation; of singular matrices as for arrays."""
    if not np.linalg.det(input._a).all():
        return det_share(g, input, out)
    call = {name: REGISTRY[name].call for name in ("mul", "expand", "diag_embed", "transpose", "linalg_solve")}
    spread = call["expand"](column(call["mul"](g, conjugated(out))), *input._a.shape[:-1])
    right = call["transpose"](call["diag_embed"](spread), -2, -1)
    return call["linalg_solve"](H(input), right, False)
