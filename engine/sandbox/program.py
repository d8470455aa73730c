"""Source text -> checked program, ready to run under the gate.

Programs are run by CPython itself; what they cannot do is decided in three places: `gradflow.engine.sandbox.policy` refuses and
rewrites the text, `gradflow.engine.sandbox.gate` decides about every attribute, `gradflow.engine.sandbox.builtin_functions` and `gradflow.engine.sandbox.importer` hold all
that can be named. Time and memory are bounded from outside, by limits on the process. A single operation on huge Python
integers cannot be interrupted from inside of the process; powers and shifts, which make such integers in one step, are
therefore refused here (`gradflow.engine.sandbox.integer_limits`), and a program that multiplies its way there is ended by the process limit.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from types import CodeType, TracebackType
from typing import Final

import gradflow.engine.sandbox.builtin_types  # registers the builtin types with the gate
import gradflow.engine.sandbox.classes.metaclasses  # registers what stands for them as bases
import gradflow.engine.sandbox.classes.own_names  # noqa: F401  # registers what may be set of them
from gradflow.engine import errors
from gradflow.engine.sandbox import (
    gate,
    integer_limits,
    library,
    patterns,
    policy,
    policy_match,
    program_classes,
)
from gradflow.engine.sandbox.builtin_functions import safe_builtins, shown
from gradflow.engine.sandbox.importer import Importer, as_modules
from gradflow.engine.sandbox.library import name_tables
from gradflow.engine.sandbox.library.scripts import late_modules, plots
from gradflow.engine.sandbox.library.scripts.tables import Output
from gradflow.engine.sandbox.loops import ENUMERATE, Loop, Loops, count_loops
from gradflow.engine.sandbox.positions import Names, Positions, module_assignments
from gradflow.engine.sandbox.rewriting.evaluation import evaluators
from gradflow.engine.sandbox.rewriting.kept_locals import KEEP, LOCALS, TOO_DEEP, KeptLocals, keep_locals
from gradflow.engine.sandbox.rewriting.limits import MAX_BYTES, MAX_DEPTH, calls_in_progress, depth_of, parsing
from gradflow.engine.sandbox.rewriting.results import NAMED, name_results, named
from gradflow.engine.sandbox.rules import exact_keywords
from gradflow.engine.sandbox.sessions.echo import ECHO, FAILURE, echo_expressions, echoer, teller_of_failures
from gradflow.engine.sandbox.sessions.magics import DroppedLine
from gradflow.engine.sandbox.source import Source, lines_of, read
from gradflow.engine.trace import Frame, Span

PROGRAM_FILE: Final = gate.PROGRAM_FILE
FILE: Final = "/program.py"
"""The file that a program takes itself for."""


class Rejected(SyntaxError):
    """A text that is no program, or a program that is not allowed. Nothing of it has run.

    ``cause`` is Python's own exception, ``type`` the name of its type (SyntaxError, IndentationError, ...).
    """

    def __init__(self, cause: SyntaxError, span: Span | None) -> None:
        super().__init__(cause.msg)
        self.__dict__.update(cause.__dict__)
        self.cause = cause
        self.type = "SyntaxError" if isinstance(cause, policy.Refusal) else type(cause).__name__
        self.span = span


class Program:
    """A checked program."""

    def __init__(self, source: str, read_source: Source, code: CodeType, positions: Positions, loops: Loops) -> None:
        self.source = source
        self.text = read_source.text
        self.code = code
        self.loops = loops
        self.kept_locals = KeptLocals()
        self.dropped: tuple[DroppedLine, ...] = read_source.dropped
        """Lines of IPython that do not run."""
        self._positions = positions
        self._nodes_of_type: dict[type[ast.AST], list[ast.AST]] = {}

    @cached_property
    def tree(self) -> ast.Module:
        """The tree of the program as written."""
        with parsing():
            return ast.parse(self.text)

    @cached_property
    def nodes(self) -> list[ast.AST]:
        """The nodes of `tree` as `ast.walk` gives them: many look for something among them."""
        return list(ast.walk(self.tree))

    @cached_property
    def nodes_in_order(self) -> list[ast.AST]:
        """The same in the order in which they begin, an outer one before those within it."""
        return sorted(self.nodes, key=lambda node: (getattr(node, "lineno", 0), getattr(node, "col_offset", 0)))

    def nodes_of(self, cls: type[ast.AST]) -> list[ast.AST]:
        """Those of a type, in the same order: many ask for the same few types."""
        if cls not in self._nodes_of_type:
            self._nodes_of_type[cls] = [node for node in self.nodes_in_order if isinstance(node, cls)]
        return self._nodes_of_type[cls]

    @cached_property
    def _nodes_by_span(self) -> dict[Span | None, list[ast.AST]]:
        found: dict[Span | None, list[ast.AST]] = {}
        for node in self.nodes:
            found.setdefault(self.span_of(node), []).append(node)
        return found

    def nodes_at(self, span: Span) -> list[ast.AST]:
        """The nodes that stand exactly at a span, outermost first."""
        return self._nodes_by_span.get(span, [])

    def head(self, span: Span | None) -> Span | None:
        """What fails at a span: of a loop or a condition what it iterates or tests, and not all that stands below."""
        for node in self.nodes_at(span) if span is not None else ():
            tested = node.iter if isinstance(node, ast.For) else getattr(node, "test", None)
            if isinstance(node, ast.For | ast.While | ast.If) and isinstance(tested, ast.expr):
                return self.span_of(tested)
        return span

    @cached_property
    def parents(self) -> dict[ast.AST, ast.AST]:
        """The node that each node of `tree` stands in."""
        return {child: node for node in self.nodes for child in ast.iter_child_nodes(node)}

    @cached_property
    def _names(self) -> Names:
        return Names(self.nodes, self._positions)

    def namespace(
        self, sources: Iterable[Callable[[], Mapping[str, object]]], write: Callable[[str], None]
    ) -> dict[str, object]:
        """The global names to run with: ``sources`` give what can be imported besides Python's own, by full name."""
        namespace: dict[str, object] = {"__name__": "__main__", "__doc__": None, "__file__": FILE}
        write = write if isinstance(write, Output) else Output(write)
        importer = Importer(
            (
                *sources,
                lambda: as_modules(library.members(write)),
                lambda: late_modules(namespace),
                lambda: plots.packages(write),
            ),
            namespace,
            (plots.Drawing, plots.Elsewhere),
        )
        builtins: dict[str, object] = {
            **safe_builtins(write),
            **name_tables.tables(namespace, shown),
            "display": plots.displayer(write),
            policy.GETATTR: gate.read_attribute,
            policy.GETVALUE: gate.read_value,
            policy.WRITE: gate.Writer,
            policy.BASES: program_classes.check_bases,
            policy.METACLASS: program_classes.check_metaclass,
            policy.CLASS: program_classes.register_class,
            policy.KEYWORDS: exact_keywords,
            policy.SHIELD: program_classes.shield_getattr,
            policy_match.SEQUENCE: patterns.sequence_items,
            policy_match.MAPPING: patterns.mapping_values,
            policy_match.CLASS_PATTERN: patterns.class_attributes,
            policy.POWER: integer_limits.power,
            policy.SHIFT: integer_limits.shift,
            policy.POWER_IN_PLACE: integer_limits.power_in_place,
            policy.SHIFT_IN_PLACE: integer_limits.shift_in_place,
            policy.ATTRIBUTES_IN_PLACE: integer_limits.AttributesInPlace,
            policy.ITEMS_IN_PLACE: integer_limits.ItemsInPlace,
            ENUMERATE: enumerate,
            KEEP: self.kept_locals.keep,
            LOCALS: locals,
            TOO_DEEP: RecursionError,
            NAMED: named,
            policy.IMPORT_CALL: importer.called,
            policy.IMPORT: importer.module,
            policy.IMPORT_FROM: importer.member,
            policy.IMPORT_ALL: importer.everything,
        }
        builtins |= evaluators(namespace, builtins)
        builtins[ECHO] = echoer(builtins, write)
        builtins[FAILURE] = teller_of_failures(write)
        namespace["__builtins__"] = builtins
        return namespace

    def run(self, namespace: dict[str, object]) -> None:
        """Run to the end. What the program raises is raised here. It may go as deep as if nobody had called it."""
        limit = sys.getrecursionlimit()
        sys.setrecursionlimit(limit + calls_in_progress())
        try:
            exec(self.code, namespace)
        finally:
            sys.setrecursionlimit(limit)

    # ---- positions

    def span(self, code: CodeType, lasti: int) -> Span | None:
        """The expression that the instruction at ``lasti`` of a code object of this program belongs to."""
        return self._positions.span_of_code(code, lasti)

    def assigned_names(self, span: Span) -> list[str]:
        """The names that the value of the expression at ``span`` is assigned to: ``c = d = a.mm(b)`` -> c, d."""
        return self._names.assigned(span)

    def made_names(self, span: Span) -> list[str]:
        """The same, where methods are called on the value before: ``net = Net().to(device).eval()``."""
        return self._names.made(span)

    def is_returned(self, span: Span) -> bool:
        """Whether a function returns the value of the expression at ``span``."""
        return self._names.is_returned(span)

    def unpacked_names(self, span: Span) -> list[str]:
        """The names that the elements of the value at ``span`` are unpacked into: ``q, r = f(x)`` -> q, r."""
        return self._names.unpacked(span)

    def statement_at(self, span: Span) -> Span:
        """The span of the simple statement (an assignment, a call) that a span lies in; itself where it is in none."""
        return self._names.statement(span)

    def call_at(self, span: Span) -> ast.Call | None:
        """The call whose text is that at ``span``; None where there is none."""
        return self._names.call(span)

    def full_name(self, function: ast.expr) -> str:
        """``torch.autograd.grad``, by whatever name the program imported it; "" of what is no dotted name."""
        return self._names.full_name(function)

    def last_targets(self) -> Iterator[str]:
        """Keys of the namespace under which the last values stand, last first; not all of them need be there."""
        yield policy.LAST
        yield from module_assignments(self.tree)

    def span_of(self, node: ast.AST) -> Span | None:
        """The span of a node of `tree`."""
        return self._positions.span_of_node(node)

    def span_of_loop(self, loop: Loop) -> Span | None:
        """The whole of a loop: its statement, or its comprehension."""
        return self._positions.span_of_node(loop.statement)

    def head_of_loop(self, loop: Loop) -> str:
        """The text that introduces a loop: ``for i in range(3)``, ``while n > 1``."""
        first, last = self._positions.span_of_node(loop.first), self._positions.span_of_node(loop.head)
        if first is None or last is None:
            return ""
        text = self.text_at(Span(first.line, first.column, last.end_line, last.end_column))
        return text if isinstance(loop.statement, ast.stmt) else f"for {text}"

    def shift(self, line: int) -> int:
        """How many code points of a line of the pasted text, a prompt or indentation, stand before the program."""
        return self._positions.shift(line)

    @cached_property
    def _lines(self) -> list[str]:
        return lines_of(self.source)

    def text_at(self, span: Span) -> str:
        """The pasted text at a span."""
        lines = self._lines[span.line - 1 : span.end_line]
        lines[-1] = lines[-1][: span.end_column]
        lines[0] = lines[0][span.column :]
        return "\n".join(lines)

    # ---- errors

    def frames(self, error: BaseException) -> list[Frame]:
        """The calls inside of the program that led to an error, outermost first."""
        return [Frame(code.co_qualname, self.span(code, lasti)) for code, lasti in _program_frames(error.__traceback__)]

    def error_span(self, error: BaseException) -> Span | None:
        """The expression of the program in which an error was raised."""
        frames = self.frames(error)
        return frames[-1].span if frames else None


def _program_frames(traceback: TracebackType | None) -> Iterator[tuple[CodeType, int]]:
    while traceback is not None:
        code = traceback.tb_frame.f_code
        if code.co_filename == PROGRAM_FILE:
            yield code, traceback.tb_lasti
        traceback = traceback.tb_next


def check(source: str) -> Program:
    """The program in a source text. Raises `Rejected` before anything runs."""
    _check_text(source)
    with parsing():
        read_source = read(source)
    positions = Positions(read_source)
    try:
        with parsing():
            code, loops = _compile(read_source.tree or ast.parse(read_source.text), read_source)
    except policy.Refusal as refusal:
        raise Rejected(refusal, positions.span_of_node(refusal.__dict__["node"])) from None
    except SyntaxError as error:
        raise Rejected(_in_our_words(error), positions.span_of_error(error)) from None
    except (RecursionError, MemoryError):
        raise Rejected(_syntax(errors.TOO_DEEP()), None) from None
    return Program(source, read_source, code, positions, loops)


def _check_text(source: str) -> None:
    try:
        size = len(source.encode())
    except UnicodeEncodeError as error:
        raise _unreadable(source, error.start) from None
    if size > MAX_BYTES:
        raise Rejected(_syntax(errors.SOURCE_TOO_LONG(kibibytes=MAX_BYTES // 1024)), None)
    if "\0" in source:
        raise _unreadable(source, source.index("\0"))


def _unreadable(source: str, at: int) -> Rejected:
    before = source[:at].replace("\r\n", "\n").replace("\r", "\n")
    line, column = before.count("\n") + 1, len(before) - (before.rfind("\n") + 1)
    cause = _syntax(errors.UNREADABLE_CHARACTER(codepoint=f"U+{ord(source[at]):04X}"))
    return Rejected(cause, Span(line, column, line, column + 1))


def _syntax(error: Exception) -> SyntaxError:
    assert isinstance(error, SyntaxError)
    return error


def _compile(tree: ast.Module, source: Source) -> tuple[CodeType, Loops]:
    if depth_of(tree) > MAX_DEPTH:
        raise RecursionError
    name_results(tree)
    keep_locals(tree, source.text)
    policy.Policy().visit(tree)
    if source.entries:
        echo_expressions(tree, source.entries, lines_of(source.text))
    _keep_last(tree)
    loops = count_loops(tree)
    code: CodeType = compile(tree, PROGRAM_FILE, "exec", dont_inherit=True)
    return code, loops


def _keep_last(tree: ast.Module) -> None:
    """Keep the value of a last expression statement: it is what a session would print."""
    if tree.body and isinstance(last := tree.body[-1], ast.Expr):
        target = ast.copy_location(ast.Name(policy.LAST, ast.Store()), last)
        tree.body[-1] = ast.copy_location(ast.Assign([target], last.value), last)


_REPLACEMENTS: Final = {
    **{chr(code): chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)},
    **dict.fromkeys("“”„‟", '"'),
    **dict.fromkeys("‘’‚‛", "'"),
    **dict.fromkeys("\u00a0\u3000\u2002\u2003\u2009\u202f", " "),
    **dict.fromkeys("\u200b\u200c\u200d\u2060\ufeff", ""),
    "、": ",",
    "。": ".",
    "【": "[",
    "】": "]",
    "《": "<",
    "》": ">",
    "×": "*",
    "÷": "/",
    "−": "-",
    "–": "-",
    "—": "-",
    "…": "...",
}


def replacement_of(character: str) -> str | None:
    """What was probably meant by a character that Python does not know."""
    return _REPLACEMENTS.get(character)


def _blame_character(error: SyntaxError) -> None:
    """Some versions of Python blame the number before a foreign comma: ``1，2`` is an invalid literal to them."""
    if not (error.msg or "").endswith("literal") or not error.text or not error.offset:
        return
    at = error.offset - 1
    for column in range(at, min(at + 2, len(error.text))):
        character = error.text[column]
        if ord(character) > 127 and replacement_of(character) is not None:
            error.msg = f"invalid character '{character}' (U+{ord(character):04X})"
            error.offset, error.end_offset = column + 1, column + 1
            return


def _in_our_words(error: SyntaxError) -> SyntaxError:
    """Python's error, with the catalogue entry for characters that look like Python's but are not."""
    _blame_character(error)
    message = error.msg or ""
    if message.startswith(("invalid character", "invalid non-printable character")):
        character = chr(int(message.split("U+")[1].rstrip(")"), 16))
        meant = replacement_of(character)
        if meant is not None:
            entry = errors.INVALID_CHARACTER(
                character=character, codepoint=f"U+{ord(character):04X}", replacement=meant or "nothing"
            )
            error.__dict__.update(entry.__dict__)
    return error
