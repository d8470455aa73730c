"""The letters of PNG and PDF: those of the page's font that pictures have, as font files that need no browser.

``python -m scripts.generate.fonts [--check] FOLDER``
"""

from __future__ import annotations

import argparse
import sys
from functools import partial
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from fontTools.merge import Merger
from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont
from fontTools.varLib.instancer import instantiateVariableFont

PAGE: Final = Path(__file__).parents[2] / "frontend/node_modules/@fontsource-variable/inter"
FACES: Final = {"Regular": ("normal", 400), "SemiBold": ("normal", 600), "Italic": ("italic", 400)}
SCRIPTS: Final = ("latin", "greek")
NAMES: Final = range(7)
"""Of a font, by number: who made it, family, style."""

_open = partial(TTFont, recalcTimestamp=False)


def face(called: str, style: str, weight: int) -> bytes:
    """One file with the letters of all scripts."""
    with TemporaryDirectory() as folder:
        parts = [Path(folder) / f"{script}.ttf" for script in SCRIPTS]
        for script, part in zip(SCRIPTS, parts, strict=True):
            _part(PAGE / f"files/inter-{script}-wght-{style}.woff2", weight).save(part)
        merged = Merger().merge(list(map(str, parts)))
    merged["OS/2"].usWeightClass = weight
    for number, name in ((4, f"Inter {called}"), (6, f"Inter-{called}")):
        merged["name"].setName(name, number, 3, 1, 0x409)
    merged["head"].created = merged["head"].modified = 0  # the same file each time
    merged.recalcTimestamp = False
    return _saved(merged)


def _part(file: Path, weight: int) -> TTFont:
    font = _open(file)
    font.flavor = None
    fixed = _open(BytesIO(_saved(instantiateVariableFont(font, {"wght": weight}))))
    options = Options(
        hinting=False, notdef_outline=True, name_IDs=list(NAMES), layout_features=["kern", "mark", "ccmp"]
    )
    subsetter = Subsetter(options)
    subsetter.populate(unicodes=fixed.getBestCmap())
    subsetter.subset(fixed)
    fixed["name"].names = [name for name in fixed["name"].names if name.nameID in NAMES]
    return fixed


def _saved(font: TTFont) -> bytes:
    file = BytesIO()
    font.save(file)
    return file.getvalue()


def main() -> None:
    """As above; exit status 1 where a file is not up to date."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--check", action="store_true")
    parser.add_argument("folder", type=Path)
    options = parser.parse_args()
    wanted = {f"inter-{name.lower()}.ttf": face(name, *kind) for name, kind in FACES.items()}
    wanted["LICENSE"] = (PAGE / "LICENSE").read_bytes()
    for name, content in wanted.items():
        file = options.folder / name
        if not options.check:
            file.write_bytes(content)
        elif file.read_bytes() != content:
            sys.exit(f"{file} is not up to date: make generate")


if __name__ == "__main__":
    main()
