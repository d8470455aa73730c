"""What a process answers as a picture is one in which nothing can run, or it is refused."""

from __future__ import annotations

import time

import pytest

from gradflow.backend.jail.answers import Malformed, check_svg

HEAD = b'<?xml version="1.0" encoding="UTF-8"?>\n'
PLAIN = b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"><g id="t0" transform="translate(1 2.5)"><text x="1">a &lt; b</text></g></svg>\n'
HOSTILE = [
    b"<script>alert(1)</script>",
    b'<rect onload="alert(1)"/>',
    b'<a href="javascript:alert(1)">x</a>',
    b'<g href="x"/>',
    b'<image href="http://example.org/a.png"/>',
    b'<use xlink:href="#a"/>',
    b"<style>@import url(http://example.org)</style>",
    b'<rect style="fill:url(http://example.org)"/>',
    b'<rect fill="url(http://example.org)"/>',
    b'<rect fill="url(#other)"/>',
    b"<foreignObject><body/></foreignObject>",
    b'<!DOCTYPE svg [<!ENTITY a "b">]>',
    b"<!-- a comment -->",
    b"<![CDATA[<script/>]]>",
    b'<?xml-stylesheet href="a"?>',
    b'<animate attributeName="x"/>',
    b'<svg xmlns="http://www.w3.org/1999/xhtml"><script/></svg>',
    b'<rect x="1" x=1/>',
    b'<rect\tx="1"/>',
    b'<RECT x="1"/>',
    b'<rect x="&#106;"/>',
    b"<rect",
    b"<",
    b"\x00",
    b"\xff\xfe",
]


def test_a_picture_is_handed_on() -> None:
    check_svg(HEAD + PLAIN)


@pytest.mark.parametrize("part", HOSTILE, ids=range(len(HOSTILE)))
def test_what_pictures_do_not_have_is_refused(part: bytes) -> None:
    for payload in (HEAD + PLAIN + part, HEAD + part + PLAIN, HEAD + PLAIN.replace(b"a &lt; b", part)):
        with pytest.raises(Malformed):
            check_svg(payload)


@pytest.mark.parametrize("beginning", [b"", b"\n", b"<svg/>", HEAD.replace(b"UTF-8", b"UTF-7")])
def test_another_beginning_is_refused(beginning: bytes) -> None:
    with pytest.raises(Malformed):
        check_svg(beginning + PLAIN)


ROOT = b'<svg xmlns="http://www.w3.org/2000/svg">'
ILL_FORMED = [
    HEAD + b"\xef\xbb\xbf" + PLAIN,
    HEAD + b"text" + PLAIN,
    HEAD + ROOT + b"&undeclared;</svg>\n",
    HEAD + ROOT + b"&amp</svg>\n",
    HEAD + ROOT + b"a & b</svg>\n",
    HEAD + ROOT + b"&#0;</svg>\n",
    HEAD + ROOT + b"&#xd800;</svg>\n",
    HEAD + ROOT + b"\xef\xbf\xbf</svg>\n",
    HEAD + ROOT + b"a ]]> b</svg>\n",
    HEAD + ROOT + b"<g></svg>\n",
    HEAD + ROOT + b"<g></text></svg>\n",
    HEAD + ROOT + b"</g></svg>\n",
    HEAD + ROOT + b'<g x="1" x="2"/></svg>\n',
    HEAD + ROOT + b"</svg>" + ROOT + b"</svg>\n",
    HEAD + b"<svg/>\n</svg>\n",
    HEAD + b'<svg x="1"/></svg>\n',
    HEAD + b"<g></g>" + PLAIN,
    HEAD + b"<g>" + PLAIN + b"</g>\n",
    HEAD + ROOT + b"</svg>",
    HEAD + ROOT + b"</svg>\n \n",
    HEAD + ROOT,
]


@pytest.mark.parametrize("payload", ILL_FORMED, ids=range(len(ILL_FORMED)))
def test_what_is_not_well_formed_is_refused(payload: bytes) -> None:
    with pytest.raises(Malformed):
        check_svg(payload)


def test_what_is_deeper_than_pictures_is_refused() -> None:
    check_svg(HEAD + ROOT + b"<g>" * 15 + b"</g>" * 15 + b"</svg>\n")
    for depth in (16, 400_000):
        with pytest.raises(Malformed, match=r"^it is too deep$"):
            check_svg(HEAD + ROOT + b"<g>" * depth + b"</g>" * depth + b"</svg>\n")


@pytest.mark.parametrize(
    "part", [b"translate", b'<rect x="1"', b'<rect x="translate(', b"<g ", b'x="1" ', b"<g/>", b"&"]
)
def test_a_long_answer_takes_no_longer_by_its_shape(part: bytes) -> None:
    payload = HEAD + ROOT + b'<rect x="' * (part[:1] not in b"<&") + part * ((1 << 20) // len(part)) + b"&</svg>\n"
    began = time.process_time()
    with pytest.raises(Malformed):
        check_svg(payload)
    assert time.process_time() - began < 2
