"""Errors of distributions."""

from __future__ import annotations

from gradflow.engine.errors.error_kind import ErrorKind

CONSTRAINT = ErrorKind(
    "constraint",
    AssertionError,
    "{message}",
    """A constraint or a transform is made of others, and does not fit what it was given.
    The message says which part or which dimension is meant.""",
    """约束或变换由其他部分组成，与给出的内容不相符。
    错误信息说明了是哪一部分或哪一维。""",
)
NO_FORMULA = ErrorKind(
    "no-formula",
    NotImplementedError,
    "{message}",
    """PyTorch's distributions have no formula for this.
    Estimate it from samples, or define the method in a class of your own.""",
    """PyTorch 的分布没有这个公式。
    可以用样本估计，或者在自己的类里定义这个方法。""",
)
DISTRIBUTION_TYPE = ErrorKind(
    "distribution-type",
    TypeError,
    "{message}",
    """This is registered by class: one of distributions, or one of constraints.
    Pass the class itself.""",
    """这里按类注册：分布的类，或者约束的类。
    请传入类本身。""",
)
