"""What stands packed in a page that is one file."""

from __future__ import annotations

import base64
import gzip
import json
from typing import Any

import numpy as np


def unpacked(text: str) -> Any:
    """As the page reads it: `frontend/src/lib/page/packed.ts` says how it is written."""
    packed = gzip.decompress(base64.b85decode(text.translate(str.maketrans(",.:", "&<>"))))
    end = 4 + int.from_bytes(packed[:4], "little")
    values = np.frombuffer(packed[end:], np.uint8).reshape(4, -1).T.copy().view("<f4").ravel()

    def original(value: dict[str, Any]) -> Any:
        if "float32[]" not in value:
            return value
        start, count = value["float32[]"]
        return [float(each) for each in values[start : start + count]]

    return json.loads(packed[4:end], object_hook=original)
