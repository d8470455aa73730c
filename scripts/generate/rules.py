"""What the page's tests typeset: every rule of every operation, for each combination of arguments of its samples.

``python -m scripts.generate.rules [--check] FILE``
"""

from __future__ import annotations

from collections.abc import Iterator

import orjson

from scripts.generate import fixture
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


if __name__ == "__main__":
    fixture.write(stated())
