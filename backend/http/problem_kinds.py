"""The kinds of problems that the API tells of: what each means and what a client does, on the page that its `type` leads to.

Reference: RFC 9457, https://www.rfc-editor.org/rfc/rfc9457
"""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import Final

PAGE: Final = "/docs/problems"
"""Where the server shows the page."""


@dataclass(frozen=True, slots=True)
class ProblemKind:
    """One kind: the status that it comes with, what it means, and what a client can do about it."""

    name: str
    status: int
    means: str
    do: str

    @property
    def type(self) -> str:
        """What a problem says it is: a section of the page."""
        return f"{PAGE}#{self.name}"


KINDS: Final = (
    ProblemKind(
        "malformed-request",
        400,
        "What came is not HTTP, or says in two ways how long it is: Content-Length with Transfer-Encoding.",
        "Mend the client or the proxy before the server; asking again gives the same.",
    ),
    ProblemKind(
        "not-found",
        404,
        "There is nothing at this address, or no operation, lesson or link of that name.",
        "Look at the detail, which tells what may have been meant. Links can expire.",
    ),
    ProblemKind(
        "method-not-allowed",
        405,
        "There is something at this address, but not for that method.",
        "Use one of the methods in the header Allow.",
    ),
    ProblemKind(
        "request-timeout",
        408,
        "The head or the body of the request took longer than the server waits.",
        "Send it again, in one go.",
    ),
    ProblemKind(
        "too-long",
        413,
        "The body, the program or the fragment of a link is longer than this server takes.",
        "Shorten it; the detail tells how long it may be.",
    ),
    ProblemKind(
        "not-json",
        415,
        "The body of the request is not declared as JSON.",
        "Send the header Content-Type: application/json.",
    ),
    ProblemKind(
        "invalid-request",
        422,
        "The request can be read and makes no sense: a field is missing, of another type, or out of its bounds.",
        "Look at errors, which has the place and the kind of each mistake. A program that raises is none: it has a trace.",
    ),
    ProblemKind(
        "too-many-requests",
        429,
        "More runs came from this address in a minute, or more links in a day, than this server allows.",
        "Wait for as many seconds as Retry-After says.",
    ),
    ProblemKind(
        "server-failure",
        500,
        "The server failed to answer this request. Its log tells how, under the X-Request-ID of the answer.",
        "Tell the operator, with that id. The same request will most likely fail again.",
    ),
    ProblemKind(
        "unavailable",
        503,
        "Every place and every seat in the waiting room is taken, or a part of the server is not there: the"
        " processes that run programs, the place for links.",
        "Ask again after as many seconds as Retry-After says; without that header it takes the operator.",
    ),
)
_BY_STATUS: Final = {kind.status: kind for kind in KINDS}


def type_of(status: int) -> str:
    """The `type` of a problem with this status; `about:blank` of one that only HTTP itself knows."""
    kind = _BY_STATUS.get(status)
    return kind.type if kind else "about:blank"


_HTML: Final = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Problems · Gradflow API</title>
<style>
:root {{ color-scheme: light dark; }}
body {{ max-width: 44rem; margin: 2rem auto; padding: 0 1.25rem; font: 16px/1.6 Inter, system-ui, sans-serif; }}
h2 {{ margin: 2rem 0 .25rem; font-size: 1.1rem; }}
h2 small {{ font-weight: 400; opacity: .75; }}
h2:target {{ text-decoration: underline; }}
p {{ margin: .25rem 0; }}
</style>
</head>
<body>
<h1>Problems</h1>
<p>Every error of the API is <code>application/problem+json</code>, and its <code>type</code> leads to a section here.</p>
{sections}
</body>
</html>
"""


def page() -> str:
    """The page at `PAGE`."""
    sections = (
        f'<h2 id="{kind.name}">{kind.name} <small>{kind.status}</small></h2>\n'
        f"<p>{escape(kind.means)}</p>\n<p>{escape(kind.do)}</p>"
        for kind in KINDS
    )
    return _HTML.format(sections="\n".join(sections))
