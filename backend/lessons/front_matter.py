"""A lesson file: YAML between two lines of ``---``, then text. Every part of the YAML keeps the line it stands on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import yaml

FENCE: Final = "---"
LONGEST_FILE: Final = 262_144


class Fault(Exception):
    """Something about a lesson file is wrong: the message says what, ``line`` where, from 1."""

    def __init__(self, message: str, line: int = 1) -> None:
        super().__init__(message)
        self.line = line


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """``data`` is the YAML as plain Python, ``body`` the text below it, which begins in the line ``body_line``."""

    data: object
    body: str
    body_line: int
    root: yaml.Node

    def line(self, path: Sequence[str | int]) -> int:
        """The line of the part at a path such as ``("steps", 0, "check")``, or of the innermost around it."""
        node, line = self.root, int(self.root.start_mark.line)
        for key in path:
            found = _inside(node, key)
            if found is None:
                break
            line, node = found
        return line + _FIRST


_FIRST: Final = 2
"""The line of a file on which its YAML begins; the marks of YAML count from 0."""


def _inside(node: yaml.Node, key: str | int) -> tuple[int, yaml.Node] | None:
    """The line on which a part begins, by its key where it has one, and the part."""
    if isinstance(node, yaml.MappingNode):
        pairs = [(name, value) for name, value in node.value if str(name.value) == str(key)]
        return (pairs[0][0].start_mark.line, pairs[0][1]) if pairs else None
    if isinstance(node, yaml.SequenceNode) and isinstance(key, int) and key < len(node.value):
        return node.value[key].start_mark.line, node.value[key]
    return None


def read(text: str) -> FrontMatter:
    """Take a lesson file apart. Raises `Fault`."""
    if len(text) > LONGEST_FILE:
        raise Fault(f"the file is longer than {LONGEST_FILE} characters")
    lines = text.replace("\r\n", "\n").removeprefix("\ufeff").split("\n")
    if lines[0].rstrip() != FENCE:
        raise Fault(f"a lesson begins with a line {FENCE}, then YAML, then another line {FENCE}")
    end = next((k for k, line in enumerate(lines[1:], 1) if line.rstrip() == FENCE), None)
    if end is None:
        raise Fault(f"the YAML that begins here has no end: a line {FENCE} is missing")
    data, root = _parse("\n".join(lines[1:end]) + "\n")
    return FrontMatter(data, "\n".join(lines[end + 1 :]).strip(), end + 2, root)


def _parse(text: str) -> tuple[object, yaml.Node]:
    loader = yaml.SafeLoader(text)
    try:
        while loader.check_event():
            event = loader.get_event()
            if isinstance(event, yaml.AliasEvent):
                raise Fault("aliases (*name) are not read in lessons", event.start_mark.line + _FIRST)
    except yaml.YAMLError as error:
        raise _fault_of(error) from None
    finally:
        loader.dispose()
    return _composed(text)


def _composed(text: str) -> tuple[object, yaml.Node]:
    loader = yaml.SafeLoader(text)
    try:
        root = loader.get_single_node()
        if root is None:
            raise Fault("there is nothing between the lines ---; a lesson has title, program and steps", _FIRST)
        _refuse_twins(root)
        return loader.construct_document(root), root
    except (yaml.YAMLError, ValueError) as error:
        raise _fault_of(error) from None
    finally:
        loader.dispose()


def _refuse_twins(node: yaml.Node) -> None:
    """YAML would let the second of two equal keys win without a word."""
    pending = [node]
    while pending:
        current = pending.pop()
        if isinstance(current, yaml.SequenceNode):
            pending.extend(current.value)
        elif isinstance(current, yaml.MappingNode):
            seen: set[str] = set()
            for key, value in current.value:
                if str(key.value) in seen:
                    raise Fault(f"{key.value!r} stands here a second time", key.start_mark.line + _FIRST)
                seen.add(str(key.value))
                pending.append(value)


def _fault_of(error: Exception) -> Fault:
    mark = getattr(error, "problem_mark", None)
    problem = getattr(error, "problem", None) or str(error)
    return Fault(f"this is not YAML: {problem}", (mark.line if mark else 0) + _FIRST)
