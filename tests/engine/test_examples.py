"""The gallery: every program is listed, and every entry is complete."""

from __future__ import annotations

import pytest

from gradflow.engine.examples import Example, examples_directory, load_examples

EXAMPLES = load_examples()


def test_every_file_is_listed_once() -> None:
    files = sorted(examples_directory().glob("*.py"))
    assert [example.source for example in EXAMPLES] == [file.read_text(encoding="utf-8") for file in files]
    assert len({example.id for example in EXAMPLES}) == len(files)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.id)
def test_an_example_is_complete(example: Example) -> None:
    texts = [example.title, example.summary, example.group]
    assert all(text.en.strip() and text.zh.strip() for text in texts)
    assert example.source.startswith("import torch\n")
    compile(example.source, example.id, "exec")


def test_the_first_example_is_the_matrix_product() -> None:
    first = EXAMPLES[0]
    assert (first.id, first.title.en, len(first.source.splitlines())) == ("matrix-product", "Matrix product", 10)
