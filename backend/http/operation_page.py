"""The page of one operation: signatures, what it computes, and the gradient of each parameter."""

from __future__ import annotations

from html import escape
from typing import Any, Final

from gradflow.engine import reference

_HTML: Final = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{name} · Gradflow</title>
<style>
:root {{ color-scheme: light dark; }}
body {{ max-width: 46rem; margin: 2rem auto; padding: 0 1.25rem; font: 16px/1.6 Inter, system-ui, sans-serif; }}
h1, h2 {{ line-height: 1.3; overflow-wrap: anywhere; }}
h1 {{ font-size: 1.5rem; }} h2 {{ margin-top: 2rem; font-size: 1.1rem; }}
code {{ font: 0.9em/1.5 ui-monospace, monospace; overflow-wrap: anywhere; }}
dt {{ margin-top: .5rem; font-weight: 600; }} dd {{ margin: 0; }}
</style>
</head>
<body>
<h1>{name}</h1>
{entries}
</body>
</html>
"""


def page(name: str) -> str | None:
    """The page of what programs call by this name; None where there is nothing."""
    found = reference.find(name)
    if not found:
        return None
    return _HTML.format(name=escape(name), entries="\n".join(_entry(each) for each in found))


def _entry(entry: Any) -> str:
    told = [f"<h2><code>{escape(entry['name'] + entry['signature'])}</code></h2>", f"<p>{escape(entry['doc'])}</p>"]
    told.append("<p>" + ", ".join(f"<code>{escape(path)}</code>" for path in entry["functions"]) + "</p>")
    if len(entry["signatures"]) > 1:
        told += [f"<p><code>{escape(each)}</code></p>" for each in entry["signatures"]]
    if entry["grad_fn"]:
        told.append(f"<p>Its <code>grad_fn</code> is <code>{escape(entry['grad_fn'])}</code>.</p>")
    if entry["gradients"]:
        told.append("<p>With <code>g</code> the upstream gradient, the gradient of</p><dl>")
        for each in entry["gradients"]:
            told.append(f"<dt>{escape(each['parameter'])}</dt><dd><code>{escape(each['formula'])}</code></dd>")
        told.append("</dl>")
    return "\n".join(told)
