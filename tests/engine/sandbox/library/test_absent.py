"""Packages that are not here: importing one is no error, using it is one."""

from __future__ import annotations

import pytest

from gradflow.engine.run import run


def said(source: str) -> str:
    trace = run(source)
    assert trace.error is None, trace.error.message
    return trace.stdout


@pytest.mark.parametrize(
    "head",
    [
        "import pandas as pd, scipy.stats as st",
        "from sklearn.model_selection import train_test_split",
        "import pdb, cv2, yaml",
        "import pytorch_lightning as pl\nfrom typing import Optional\n"
        "def f(x: pl.Trainer, y: Optional[pl.Callback] = None, z: 'pl.X | None' = None) -> pl.Trainer: return x",
        "import pandas as pd\nassert not isinstance(1, pd.DataFrame)",
    ],
)
def test_a_file_that_only_imports_it_runs(head: str) -> None:
    assert said(f"{head}\nprint('done')") == "done\n"


@pytest.mark.parametrize(
    ("use", "line"),
    [
        ("import pandas as pd\nx = 1\npd.read_csv('a.csv')", 3),
        ("import pytorch_lightning as pl\nclass M(pl.LightningModule): pass", 2),
        ("from scipy.special import expit\n[*expit]", 2),
        ("import numba\n@numba.jit(nopython=True)\ndef f(): pass", 2),
    ],
)
def test_its_use_is_refused_where_it_stands(use: str, line: int) -> None:
    error = run(use).error
    assert error is not None
    assert error.type == "ModuleNotFoundError"
    assert error.message.startswith("No module named '")
    assert error.span is not None
    assert error.span.line == line


def test_who_waits_for_the_error_gets_it() -> None:
    tried = "try:\n    import apex\nexcept ImportError:\n    apex = None\nprint(apex)"
    assert said(tried) == "None\n"
    within = "def load():\n    import scipy\n    return scipy\ntry:\n    print(load())\nexcept ImportError as e:\n    print(e)"
    assert said(within) == "No module named 'scipy'\n"


@pytest.mark.parametrize(
    "source", ["import pandass", "import torch.nnn", "import subprocess", "import pandas\npandas.__dict__"]
)
def test_nothing_else_can_be_imported(source: str) -> None:
    assert run(source).error is not None


def test_a_debugger_is_refused_when_it_stops() -> None:
    error = run("import pdb\npdb.set_trace()").error
    assert error is not None
    assert error.message == "the module pdb cannot be used in this playground"
