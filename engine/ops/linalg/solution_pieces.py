"""The gradients of inverses and solutions in the pieces that PyTorch records them in."""

from __future__ import annotations

from gradflow.engine.ops.linalg.decompositions import H, column
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
    of_right = REGISTRY["squeeze_dim"].call(adjoint, -1) if vector else adjoint
    of_matrix = -(adjoint @ H(column(out) if vector else out))
    return summed(of_right, shape_of_right), summed(of_matrix, shape)
