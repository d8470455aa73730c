"""The small pages behind short links, in the reader's language: there is no such link, or one has to be followed."""

from __future__ import annotations

from enum import IntEnum
from html import escape
from typing import Final


class Words(IntEnum):
    """What a page says."""

    MISSING = 404
    UNAVAILABLE = 503
    FORWARD = 200


FORWARD: Final = Words.FORWARD
_SAID: Final = {
    ("en", Words.MISSING): (
        "There is no such link",
        "It may have expired, or a letter of it was lost.",
        "Open Gradflow",
    ),
    ("zh", Words.MISSING): ("没有这个链接", "它可能已经过期，或者少抄了一个字母。", "打开 Gradflow"),
    ("en", Words.UNAVAILABLE): (
        "Links cannot be opened at the moment",
        "The server does not reach the place where it keeps them. The playground itself works.",
        "Open Gradflow",
    ),
    ("zh", Words.UNAVAILABLE): (
        "现在打不开链接",
        "服务器暂时连不上保存链接的地方。页面本身可以照常使用。",
        "打开 Gradflow",
    ),
    ("en", Words.FORWARD): ("Gradflow", "The program is on its way.", "Open it"),
    ("zh", Words.FORWARD): ("Gradflow", "正在打开程序。", "打开"),
}
_PAGE: Final = """<!doctype html>
<html lang="{language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
{refresh}{tags}<title>{title}</title>
<style>
:root {{ color-scheme: light dark; --paper: #fafaf7; --ink: #171a20; --second: #565d6a; --forward: #2b62bd; }}
@media (prefers-color-scheme: dark) {{
  :root {{ --paper: #121419; --ink: #eceff4; --second: #a9b0bd; --forward: #84b4ff; }}
}}
body {{
  margin: 0; min-height: 100vh; display: grid; place-content: center; padding: 24px; box-sizing: border-box;
  background: var(--paper); color: var(--ink); font: 16px/1.6 Inter, system-ui, sans-serif;
}}
h1 {{ margin: 0 0 4px; font-size: 20px; line-height: 1.3; }}
p {{ margin: 0 0 16px; color: var(--second); max-width: 44ch; }}
a {{ color: var(--forward); }}
</style>
</head>
<body>
<main>
<h1>{title}</h1>
<p>{text}</p>
<a href="{target}">{action}</a>
</main>
</body>
</html>
"""


def page(accepted: str, words: Words, target: str, tags: str = "") -> str:
    """accepted: the header Accept-Language. target: where its one link leads, and, of `FORWARD`, the page by itself.
    tags: more for its head."""
    language = "zh" if accepted.strip().lower().startswith("zh") else "en"
    title, text, action = _SAID[language, words]
    address = escape(target)
    refresh = f'<meta http-equiv="refresh" content="0;url={address}">\n' if words == FORWARD else ""
    return _PAGE.format(
        language="zh-CN" if language == "zh" else "en",
        title=title,
        text=text,
        action=action,
        target=address,
        refresh=refresh,
        tags=tags,
    )
