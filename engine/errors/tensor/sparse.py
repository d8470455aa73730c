"""Errors of sparse tensors: what is not provided for them, and parts that do not fit each other."""

from __future__ import annotations

from gradflow.engine.errors.error_kind import ErrorKind

SPARSE_REFUSED = ErrorKind(
    "sparse-refused",
    NotImplementedError,
    "{name} on a sparse tensor is not available in Gradflow",
    """A sparse tensor holds only its entries and where they are; {name} is not provided for it.
    Products with dense tensors, sums, coalesce() and to_dense() are.
    Write `.to_dense()` before it: what comes out is the same.""",
    """稀疏张量只保存条目和它们的位置；没有为它提供 {name}。
    与稠密张量的乘积、求和、coalesce() 和 to_dense() 都可以用。
    请先写 `.to_dense()`：结果相同。""",
)
SPARSE_UNCOALESCED = ErrorKind(
    "sparse-uncoalesced",
    RuntimeError,
    "Cannot get {name} on an uncoalesced tensor, please call .coalesce() first",
    """Two entries of this sparse tensor may be at the same place, and their sum is what counts.
    Call `.coalesce()`, which adds them.""",
    """这个稀疏张量可能有两个条目在同一位置，要紧的是它们的和。
    请调用 `.coalesce()`，它会把它们相加。""",
)
SPARSE_NUMPY = ErrorKind(
    "sparse-numpy",
    TypeError,
    "can't convert Sparse layout tensor to numpy. Use Tensor.to_dense() first.",
    """NumPy has no arrays that hold only their entries.
    Write `.to_dense().numpy()`.""",
    """NumPy 没有只保存条目的数组。
    请写 `.to_dense().numpy()`。""",
)
SPARSE_ADD = ErrorKind(
    "sparse-add",
    RuntimeError,
    "add(sparse, dense) is not supported. Use add(dense, sparse) instead.",
    """A sparse tensor plus a dense one is dense, so the dense one comes first.
    Write `dense + sparse`.""",
    """稀疏张量加稠密张量得到稠密张量，所以稠密的写在前面。
    请写 `dense + sparse`。""",
)
SPARSE_PARTS = ErrorKind(
    "sparse-parts",
    RuntimeError,
    "{message}",
    """Indices, values and size of a sparse tensor do not fit each other. PyTorch's words say where.
    The indices have one row for each dimension and one column for each value.""",
    """稀疏张量的索引、值与大小互不匹配。PyTorch 的原话说明了问题所在。
    索引的每一行对应一个维度，每一列对应一个值。""",
)
