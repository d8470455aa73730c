"""python -m bench.load [--seconds N] [SCENE ...]

Plays the scenes one after the other and exits with status 1 where a limit was broken. Everything runs on this machine, the
clients too: what else it does is in the figures.
"""

from __future__ import annotations

import argparse
import sys
from typing import Final

from bench.load import scenes
from bench.load.children import children

SCENES: Final = {
    "learners": scenes.learners,
    "fairness": scenes.fairness,
    "lesson": scenes.lesson,
    "throughput": scenes.throughput,
    "memory": scenes.memory,
    "children": children,
    "kills": scenes.kills,
}


def main() -> int:
    """As above."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=20, help="how long each load is kept up (20)")
    parser.add_argument("scenes", nargs="*", choices=[[], *SCENES], help="all of them, unless named")
    given = parser.parse_args()
    broken = []
    for name in given.scenes or SCENES:
        if not SCENES[name](given.seconds):
            broken.append(name)
        sys.stdout.flush()
    print(f"limits broken: {', '.join(broken)}" if broken else "all limits kept")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
