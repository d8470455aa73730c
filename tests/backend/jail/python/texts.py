import heapq
import io
import string
import sys
import textwrap
import warnings

print(textwrap.fill("the gradient of a sum", 10), textwrap.dedent("  a\n  b"), textwrap.shorten("a b c d", 6))
print(string.capwords("vector product"), string.punctuation, heapq.nlargest(2, [1, 3, 2]))
buffer = io.StringIO()
print("in", file=buffer)
print(repr(buffer.getvalue()), file=sys.stdout)
with warnings.catch_warnings(record=True) as seen:
    warnings.simplefilter("always")
    warnings.warn("mine", DeprecationWarning, stacklevel=1)
print(len(seen), seen[0].category.__name__, seen[0].message)


def depth(n):
    return depth(n + 1)


try:
    depth(1)
except RecursionError as error:
    print(error)
try:
    raise ValueError("outer") from KeyError("梯")
except ValueError as error:
    print(repr(error), repr(error.__cause__))
