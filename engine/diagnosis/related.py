"""Errors that are of one family: what finds the cause of one of them may find that of another."""

from __future__ import annotations

from typing import Final

from gradflow.engine.errors import CATALOGUE

_VALUES: Final = """
type attribute none-attribute value index key no-attribute no-type-attribute argument-type keyword-type element-type
sequence-element size-element invalid-combination unsupported-arguments not-callable not-subscriptable not-iterable none-operand
operand-types concatenation unordered indices immutable no-length not-integer unhashable sequence-index array-index
too-many-values not-enough-values index-not-scalar no-size bool-ambiguous number-not-scalar format-tensor len-scalar iterate-scalar
data-invalid data-not-number data-type assign-type gradient-type derivative-type tensors-as-numbers contains-type slice-type
missing-argument missing-python-argument too-many-arguments no-arguments unexpected-keyword invalid-keyword unsupported-input
data-not-sequence ragged-data parameters-type parameter-type no-forward function-misuse function-type index-type not-ndarray
"""
"""A value of another kind than what it is used for."""

_SIZES: Final = """
shape-broadcast mm-shape mm-not-matrix mv-shape dot-dimensions dot-size bmm-dimensions bmm-shape matmul-scalar mv-dimensions
inner-shape tensordot-dimensions einsum-operands inplace-broadcast inplace-product conv-weight-count conv-channels conv-kernel conv-input
conv-transposed-channels pool-input pool-output adaptive-input embedding-range normalized-shape channel-count batch-values spatial-values
group-channels group-dimensions linear-scalar target-range target-multi target-batch target-spatial target-spatial-size class-weights
bce-size bce-logits-size target-size loss-refused variance-size module-argument module-runtime module-assertion data-sizes
index-range index-count index-broadcast mask-shape select-range index-put-shape gather-shape gather-range part-shape index-source view-size
invalid-shape expand-size expand-dimensions dim-range dim-of-scalar permute-count cat-size cat-dimensions stack-size join-refused
product-refused split-sizes cut-range attention-dimensions cdist-columns cross-length square-matrix solve-shape matrix-dimensions
t-dimensions mt-dimensions outer-dimensions grad-shape hook-size array-shapes
"""
"""A size, or a number of dimensions, that does not fit."""

_KINDS: Final = """
mm-dtype mv-dtype dot-dtype affine-dtype mixed-dtype contraction-dtypes baddbmm-dtypes vecdot-dtypes conv-bias-dtype scalar-type
found-dtype target-dtype target-probability-dtype embedding-dtype index-dtype index-kind index-fill-kind index-put-dtype result-cast
same-dtype dtype-not-implemented dtype-not-floating bilinear-dtypes attention-dtypes lerp-dtype where-condition mixed-parameter
"""
"""Numbers of another dtype."""

FAMILIES: Final = tuple(frozenset(family.split()) for family in (_VALUES, _SIZES, _KINDS))


def related(code: str) -> list[str]:
    """The other errors of a family, in the order of the catalogue."""
    return [one for one in CATALOGUE for family in FAMILIES if code in family and one in family and one != code]
