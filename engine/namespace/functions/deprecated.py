"""What PyTorch says where an older name of a function is called."""

from __future__ import annotations

from typing import Final

from gradflow.engine.state import warn

_GONE: Final = " and will be removed in a future PyTorch release."
_SOURCES: Final = "(Triggered internally at /__w/pytorch/pytorch/aten/src/ATen/native/"
_NOTICES: Final = {
    "cholesky": (
        f"torch.cholesky is deprecated in favor of torch.linalg.cholesky{_GONE}\nL = torch.cholesky(A)\n"
        "should be replaced with\nL = torch.linalg.cholesky(A)\nand\nU = torch.cholesky(A, upper=True)\n"
        "should be replaced with\nU = torch.linalg.cholesky(A).mH\n"
        "This transform will produce equivalent results for all valid (symmetric positive definite) inputs.",
        "BatchLinearAlgebra.cpp:1765",
    ),
    "qr": (
        f"torch.qr is deprecated in favor of torch.linalg.qr{_GONE}\n"
        "The boolean parameter 'some' has been replaced with a string parameter 'mode'.\n"
        "Q, R = torch.qr(A, some)\nshould be replaced with\n"
        "Q, R = torch.linalg.qr(A, 'reduced' if some else 'complete')",
        "BatchLinearAlgebra.cpp:2505",
    ),
    "lu": (
        f"torch.lu is deprecated in favor of torch.linalg.lu_factor / torch.linalg.lu_factor_ex{_GONE}\n"
        "LU, pivots = torch.lu(A, compute_pivots)\nshould be replaced with\n"
        "LU, pivots = torch.linalg.lu_factor(A, compute_pivots)\nand\n"
        "LU, pivots, info = torch.lu(A, compute_pivots, get_infos=True)\nshould be replaced with\n"
        "LU, pivots, info = torch.linalg.lu_factor_ex(A, compute_pivots)",
        "BatchLinearAlgebra.cpp:2073",
    ),
    "lu_solve": (
        f"torch.lu_solve is deprecated in favor of torch.linalg.lu_solve{_GONE[1:]}\n"
        "Note that torch.linalg.lu_solve has its arguments reversed.\nX = torch.lu_solve(B, LU, pivots)\n"
        "should be replaced with\nX = torch.linalg.lu_solve(LU, pivots, B)",
        "BatchLinearAlgebra.cpp:2230",
    ),
    "chain_matmul": (
        "torch.chain_matmul is deprecated and will be removed in a future PyTorch release. Use torch.linalg.multi_dot "
        "instead, which accepts a list of two or more tensors rather than multiple parameters.",
        "LinearAlgebra.cpp:1102",
    ),
    "triangular_solve": (
        f"torch.triangular_solve is deprecated in favor of torch.linalg.solve_triangular{_GONE[1:]}\n"
        "torch.linalg.solve_triangular has its arguments reversed and does not return a copy of one of the inputs.\n"
        "X = torch.triangular_solve(B, A).solution\nshould be replaced with\n"
        "X = torch.linalg.solve_triangular(A, B).",
        "BatchLinearAlgebra.cpp:2273",
    ),
    "cross": (
        "Using torch.cross without specifying the dim arg is deprecated.\n"
        "Please either pass the dim explicitly or simply use torch.linalg.cross.\n"
        "The default value of dim will change to agree with that of linalg.cross in a future release.",
        "Cross.cpp:63",
    ),
}


def notice(name: str) -> None:
    """Warn that a function is deprecated, once in a run."""
    text, place = _NOTICES[name]
    warn(f"{text} {_SOURCES}{place}.)", once=True)
