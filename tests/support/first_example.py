"""The request of which the answer is known to everyone."""

FIRST_EXAMPLE = {
    "source": "c = a.mm(b)",
    "inputs": {"a": [[1, 2], [3, 4]], "b": [[1, 2, 3], [4, 5, 6]]},
    "gradient": [[1, 1, 1], [1, 1, 1]],
}
