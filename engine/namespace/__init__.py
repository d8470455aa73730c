"""``torch`` as programs import it."""

import gradflow.engine.ops  # noqa: F401  # its functions call the operations, which have to be declared
