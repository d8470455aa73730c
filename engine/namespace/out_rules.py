"""What PyTorch says where ``out=`` has a dtype that does not take the result, and under which name it refuses gradients.

In the texts {R} and {r} are the dtype of the result, {O} and {o} that of ``out``, {name} the function.
"""

from __future__ import annotations

from functools import cache
from typing import Final


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_SAFELY: Final = "{name}: Expected result to be safely castable from {R} dtype, but got result with dtype {O}"

_EXACT: Final = {
    "Found dtype {O} but expected {R}": "abs absolute ceil conj_physical fix floor frac neg negative round sgn sign trunc",
    "Expected out tensor to have dtype {r}, but got {o} instead": """
        addmm addmv aminmax argmax argmin baddbmm bmm cross gather index_add index_copy index_reduce inverse isin
        linalg.cholesky linalg.cholesky_ex linalg.cross linalg.det linalg.eigh linalg.eigvalsh linalg.inv linalg.inv_ex
        linalg.ldl_factor linalg.ldl_factor_ex linalg.ldl_solve linalg.lu linalg.lu_factor linalg.lu_factor_ex
        linalg.lu_solve linalg.qr linalg.slogdet linalg.solve linalg.svd linalg.svdvals linalg.vector_norm log_softmax
        lu_solve lu_unpack max median min mm msort nanmedian norm qr renorm scatter scatter_add scatter_reduce slogdet
        slice_scatter softmax sort sum prod nansum svd take_along_dim topk triangular_solve tril triu""",
    "{name} only supports {r} tensor for result, got: {O}": "all any",
    "Expected the dtype for input and out to match, but got {R} for input's dtype and {O} for out's dtype.": "amax amin",
    "expected scalar_type {R} but found {O}": "cummax cummin diff logcumsumexp",
    "result dtype {O} does not match input dtype {R}": "dot matmul vdot",
    "{name}(): self and result must have the same scalar type": "index_select masked_select",
    "tensordot: Expected the output tensor to have dtype {R}, but got an output tensor with dtype {O}": "inner tensordot",
    "{name} does not support non-boolean outputs.": "isneginf isposinf signbit",
    "{name} expected out tensor dtype {R} but got: {O}": "linalg.matrix_norm linalg.norm",
    "multi_dot(): expected out tensor to have dtype {r} but got {o}": "chain_matmul linalg.multi_dot",
    "expected scalar type {R} but found {O}": "linalg.solve_triangular",
    "{name}: Expected out of dtype{R} but found {O}": "linalg.vecdot",
    "{name}: dtype of out: {O} should be same as input: {R}": "nan_to_num",
    "Expected object of scalar type {R} but got scalar type {O} for argument 'out'": "complex polar",
    "{name}() out tensor must be same dtype as the input tensor": "quantile",
    "quantile() out tensor must be same dtype as the input tensor": "nanquantile",
    "torch.{name}: Expected input and result to have the same dtype, but input has dtype{R} and result has dtype {O}": "ormqr",
    "{name}(): self and out expected to have the same dtype, but got self.dtype = {R} and out.dtype = {O}": "take",
    "{name}: Expected out tensor to have scalar type {R} but got scalar type{O}": "nonzero",
    "{name} expects {R} tensor out, got: {O}": "multinomial",
    "torch.histogram: input tensor and hist tensor should have the same dtype, but got input {r} and hist {o}": "histc",
    "self and mat2 must have the same dtype, but got {O} and {R}": "addbmm",
    "addmv input tensors must have the same dtype, but got {O}, {R}, and {R}": "mv",
    "Expected out type to be {R} but got {O}": "where",
    "torch.searchsorted(): output tensor's dtype is wrong, it can only be Int(int32) or Long(int64) depending on whether "
    "out_int32 flag is True, but we got output tensor's dtype {O} and out_int32 flag is {flag}": "searchsorted bucketize",
    "Expected self.dtype() == output.dtype() to be true, but got false.  (Could this error message be improved?  If so, "
    "please report an enhancement request to PyTorch.)": "narrow_copy",
    "torch.frexp() expects mantissa to have dtype {r} but got {o}|torch.frexp() expects exponent to have {r} dtype but got {o}": (
        "frexp"
    ),
    "output values must be of same type as input|output indices must be of scalar type {R}": "kthvalue",
    "expected scalar type '{R}' but got '{O}' for values output|expected scalar type '{R}' but got '{O}' for indices output": (
        "mode"
    ),
    "dtype {R} does not match dtype of out parameter ({O})": (
        "arange empty eye full linspace logspace ones rand randn randint zeros"
    ),
}  # fmt: skip
"""Functions whose result has to have exactly the dtype of ``out``; of several results each its own text."""

_CASTING: Final = {
    "torch.cat(): input types can't be cast to the desired output type {O}": (
        "cat column_stack concat concatenate dstack hstack row_stack stack vstack"
    ),
    _SAFELY: "cholesky cholesky_inverse cholesky_solve linalg.cond linalg.pinv",
    "matrix_power: Expected result to be safely castable from {R} dtype, but got result with dtype {O}": (
        "linalg.matrix_power matrix_power"
    ),
    "tensorinv: Expected result to be safely castable from {R} dtype, but got result with dtype {O}": "linalg.tensorinv",
    "tensorsolve: Expected result to be safely castable from {R} dtype, but got result with dtype {O}": (
        "linalg.tensorsolve"
    ),
    f"torch.{_SAFELY}": "linalg.householder_product linalg.matrix_rank",
    "torch.linalg.householder_product: Expected result to be safely castable from {R} dtype, but got result with dtype "
    "{O}": "orgqr",
    "torch.{name}: Expected eigenvalues to be safely castable from {R} dtype, but got eigenvalues with dtype {O}"
    "|torch.{name}: Expected eigenvectors to be safely castable from {R} dtype, but got eigenvectors with dtype {O}": (
        "linalg.eig linalg.eigvals"
    ),
    "{name} can't be cast to the desired output type {O}": "ldexp",
    "{name}(): Expected floating point type for result tensor, but got: {O}": "logsumexp",
    "{name}.dtype_out(): input types can't be cast to the desired output type {O}": "mean",
    "{name}: result type {R} can't be cast to the desired out= type {O}": "diag",
    "the output given to {name} has dtype {O} but the operation's result requires dtype {R}": "float_power",
}
_ANY: Final = _words("bernoulli cumprod cumsum lu")
"""Functions that write into every dtype."""
TAKES_DTYPE: Final = _words("""
    arange bernoulli cumprod cumsum empty eye full linspace logspace nansum ones prod rand randint randn sum zeros
""")
"""Functions that compute in the dtype of ``out`` where none is asked for."""
SILENT: Final = _words(
    "addbmm bernoulli empty eye full linspace logspace multinomial narrow_copy ones rand randn zeros"
)
"""Functions that resize ``out`` without a warning."""
_UNRECORDED: Final = _words("""
    all any arange argmax argmin bernoulli bucketize conj_physical diag diff empty eye floor_divide full heaviside histc
    inner isin linalg.cond linalg.eigvals linalg.ldl_factor linalg.ldl_factor_ex linalg.ldl_solve linalg.matrix_norm
    linalg.matrix_power linalg.matrix_rank linalg.norm linalg.tensorinv linalg.tensorsolve linspace log_softmax
    logspace lu matrix_power multinomial nanquantile nonzero ones quantile rand randint randn randperm searchsorted
    signbit slice_scatter softmax tensordot zeros eq ge gt isneginf isposinf le logical_and logical_not logical_or
    logical_xor lt ne greater greater_equal less less_equal not_equal bitwise_and bitwise_or bitwise_not bitwise_xor
    gcd lcm special.ndtr
""")
"""Functions that do not ask whether a gradient is wanted."""
_NAMES: Final = {
    "absolute": "abs", "arccos": "acos", "arccosh": "acosh", "arcsin": "asin", "arcsinh": "asinh", "arctan": "atan",
    "arctan2": "atan2", "arctanh": "atanh", "clip": "clamp", "column_stack": "cat", "concat": "cat", "concatenate": "cat",
    "cross": "linalg_cross", "divide": "div", "dstack": "cat", "fix": "trunc", "float_power": "pow", "ger": "mul",
    "hstack": "cat", "inverse": "linalg_inv_ex", "kron": "mul", "linalg.cholesky": "linalg_cholesky_ex",
    "linalg.det": "_linalg_det", "linalg.eigh": "_linalg_eigh", "linalg.eigvalsh": "_linalg_eigh",
    "linalg.inv": "linalg_inv_ex", "linalg.lu_factor": "linalg_lu_factor_ex", "linalg.matmul": "matmul",
    "linalg.multi_dot": "mm", "linalg.slogdet": "_linalg_slogdet", "linalg.solve": "_linalg_solve_ex",
    "linalg.svd": "_linalg_svd", "linalg.svdvals": "_linalg_svd", "linalg.vecdot": "vdot", "lu_solve": "linalg_lu_solve",
    "msort": "sort", "multiply": "mul", "nanmean": "nansum", "negative": "neg", "norm": "linalg_vector_norm",
    "orgqr": "linalg_householder_product", "outer": "mul", "qr": "linalg_qr", "row_stack": "cat", "square": "pow",
    "subtract": "sub", "svd": "_linalg_svd", "slogdet": "_linalg_slogdet", "take_along_dim": "gather",
    "true_divide": "div", "vstack": "cat",
}  # fmt: skip
"""Under which other name the refusal of gradients comes."""
ELEMENTWISE: Final = ("result type {R} can't be cast to the desired output type {O}", False)
"""The rule for most functions."""


@cache
def _texts() -> dict[str, tuple[str, bool]]:
    table: dict[str, tuple[str, bool]] = {}
    for texts, exact in ((_EXACT, True), (_CASTING, False)):
        for text, names in texts.items():
            table |= dict.fromkeys(names.split(), (text, exact))
    return table


def dtype_rule(name: str) -> tuple[str, bool] | None:
    """The text for a dtype that does not fit, and whether it has to be the very same; None where every dtype fits."""
    return None if name in _ANY else _texts().get(name, ELEMENTWISE)


def refusal_name(name: str) -> str | None:
    """The name under which gradients are refused; None where they are not."""
    return None if name in _UNRECORDED else _NAMES.get(name, name.replace(".", "_"))
