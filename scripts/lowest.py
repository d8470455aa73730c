"""Print the lowest version of each direct dependency, as constraints for pip.

python scripts/lowest.py > FILE
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path


def main() -> None:
    """As above."""
    project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for requirement in [*project["dependencies"], *project["optional-dependencies"]["test"]]:
        name, floor = re.findall(r"^([\w-]+)(?:\[[\w,]+\])?>=([\d.]+)", requirement)[0]
        print(f"{name}=={floor}")


if __name__ == "__main__":
    main()
