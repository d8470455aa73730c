"""Errors of random numbers."""

from __future__ import annotations

from gradflow.engine.errors.error_kind import ErrorKind

DISTRIBUTION = ErrorKind(
    "distribution",
    RuntimeError,
    "{message}",
    """There is no such distribution to draw from.
    Check the parameters: a deviation is not negative, a probability lies between 0 and 1, an upper bound above the lower.""",
    """不存在这样的分布，无法抽样。
    请检查参数：标准差不能为负，概率在 0 和 1 之间，上界大于下界。""",
)
GENERATOR_STATE_TYPE = ErrorKind(
    "generator-state-type",
    TypeError,
    "RNG state must be a torch.ByteTensor",
    """The state of a generator is a tensor of bytes.
    Pass what `get_state()` or `torch.get_rng_state()` gave.""",
    """生成器的状态是一个字节张量。
    请传入 `get_state()` 或 `torch.get_rng_state()` 的结果。""",
)
GENERATOR_STATE_SIZE = ErrorKind(
    "generator-state-size",
    RuntimeError,
    "Expected a CPUGeneratorImplState of size {expected} but found the input RNG state size to be {actual}",
    """The state of a generator has {expected} bytes.
    Pass what `get_state()` or `torch.get_rng_state()` gave.""",
    """生成器的状态有 {expected} 个字节。
    请传入 `get_state()` 或 `torch.get_rng_state()` 的结果。""",
)
GENERATOR_DEVICE = ErrorKind(
    "generator-device",
    RuntimeError,
    "Cannot get CUDA generator without ATen_cuda library. PyTorch splits its backend into two shared libraries: a CPU "
    "library and a CUDA library; this error has occurred because you are trying to use some CUDA functionality, but the "
    "CUDA library has not been loaded by the dynamic linker for some reason.  The CUDA library MUST be loaded, EVEN IF "
    "you don't directly use any symbols from the CUDA library! One common culprit is a lack of -Wl,--no-as-needed in "
    "your link arguments; many dynamic linkers will delete dynamic library dependencies if you don't depend on any of "
    "their symbols.  You can check if this has occurred by using ldd on your binary to see if there is a dependency on "
    "*_cuda.so library.",
    """There is no graphics card here.
    Leave out the device.""",
    """这里没有显卡。
    请去掉设备参数。""",
)
SEED_RANGE = ErrorKind(
    "seed-range",
    ValueError,
    "Overflow when unpacking long long",
    """A seed is a whole number of at most 64 bits.
    Choose a smaller one.""",
    """种子是不超过 64 位的整数。
    请选择小一些的数。""",
)
SAMPLER_TYPE = ErrorKind(
    "sampler-type",
    TypeError,
    "{message}",
    """An argument has another type than is wanted here.
    The message says which.""",
    """有一个参数的类型不对。
    错误信息说明了是哪一个。""",
)
DATASETS = ErrorKind(
    "datasets",
    AssertionError,
    "{message}",
    """Datasets that are put together have to be of one kind, and there has to be one at least.
    Check the list of datasets.""",
    """合在一起的数据集必须是同一种，而且至少要有一个。
    请检查数据集的列表。""",
)
BATCH_LENGTHS = ErrorKind(
    "batch-lengths",
    RuntimeError,
    "each element in list of batch should be of equal size",
    """Samples are put together element by element, so all of them need the same number of elements.
    Pad the samples, or pass a `collate_fn` of your own.""",
    """样本是逐个元素合并的，所以每个样本的元素个数必须相同。
    请填充样本，或者传入自己的 `collate_fn`。""",
)
NO_DIVERGENCE = ErrorKind(
    "no-divergence",
    NotImplementedError,
    "No KL(p || q) is implemented for p type {p} and q type {q}",
    """The divergence is known for two distributions of one kind.
    Estimate it from samples: `(p.log_prob(x) - q.log_prob(x)).mean()` with `x = p.sample((n,))`.""",
    """只有同一种分布之间才有现成的散度公式。
    可以用样本估计：令 `x = p.sample((n,))`，计算 `(p.log_prob(x) - q.log_prob(x)).mean()`。""",
)
MIXED_DIVERGENCE = ErrorKind(
    "mixed-divergence",
    NotImplementedError,
    "The cross KL-divergence between different exponential families cannot"
    + " " * 29
    + "be computed using Bregman divergences",
    NO_DIVERGENCE.en,
    NO_DIVERGENCE.zh,
)


RANDOM_RANGE = ErrorKind(
    "random-range",
    RuntimeError,
    "random_ expects 'from' to be less than 'to', but got from={low} >= to={high}",
    """There is no whole number from {low} up to {high} to draw: the upper bound is not included.
    Make the upper bound larger.""",
    """从 {low} 到 {high}（不含上界）之间没有可抽取的整数。
    请把上界取大一些。""",
)
