"""``torch`` as programs import it, in the modules that PyTorch has."""

import gradflow.engine.ops  # noqa: F401  # declares the operations, which everything here is made of
