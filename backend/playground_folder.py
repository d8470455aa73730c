"""Where the built page is."""

from __future__ import annotations

from pathlib import Path


def find_playground(configured: Path | None = None) -> Path | None:
    """The folder of the built page: as configured, inside an installed package, or in a checkout."""
    here = Path(__file__).resolve().parent
    candidates = [configured] if configured else [here / "playground", here.parent / "frontend" / "dist"]
    return next((folder for folder in candidates if (folder / "index.html").is_file()), None)
