"""What the page's tests typeset: every rule of every operation, for each combination of arguments of its samples.

``python -m scripts.generate.rules [--check] FILE``
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

import orjson

from tests.support.samples import record_sample, samples


def stated() -> Iterator[dict[str, object]]:
    """The rules, each with the attributes of a function that it is for."""
    seen = set()
    for _, op, sample in samples():
        trace = orjson.loads(record_sample(op, sample))
        for node in trace["nodes"]:
            rule = {**trace["rules"][node["rule"]], "expressions": {}}
            key = orjson.dumps(rule)
            if key not in seen:
                seen.add(key)
                yield {"op": node["op"], "attributes": node["attributes"], "rule": rule}


def main() -> int:
    """Write the file, or tell whether it is up to date."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--check", action="store_true")
    parser.add_argument("file", type=Path)
    options = parser.parse_args()
    text = b"[\n" + b",\n".join(orjson.dumps(each) for each in stated()) + b"\n]\n"
    if options.check:
        return 0 if options.file.read_bytes() == text else f"{options.file} is not up to date: make generate"  # type: ignore[return-value]
    options.file.write_bytes(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
