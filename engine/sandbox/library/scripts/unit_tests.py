"""``unittest``: Python's own test cases, run without a look at files and without a clock.

What Python writes to standard error is not shown. A test that failed ends the program where Python would end it with a
status: `main` raises the first error again, so that it is shown with its place.
"""

from __future__ import annotations

import difflib  # noqa: F401  # what the messages of unequal lists need, there before a run
import pprint  # noqa: F401
import re
import unittest
from collections.abc import Callable
from typing import Any, Final, NoReturn
from unittest import case, suite

from gradflow.engine import errors
from gradflow.engine.sandbox.classes.exit_stacks import ExitStack
from gradflow.engine.sandbox.classes.raw_content import put
from gradflow.engine.sandbox.gate import allow, exact_name, is_program_class, is_program_function, is_public, type_name
from gradflow.engine.sandbox.library.scripts.tables import Target
from gradflow.engine.sandbox.library.warning_filters import catch_warnings
from gradflow.engine.sandbox.stand_ins import OpaqueType

_ASSERTS: Final = [name for name in dir(unittest.TestCase) if name.startswith("assert") and name[6:7].isupper()]
_CASE: Final = (
    "addCleanup addClassCleanup addTypeEqualityFunc countTestCases defaultTestResult doCleanups doClassCleanups"
    " enterContext fail failureException id longMessage maxDiff run setUp setUpClass shortDescription skipTest subTest"
    " tearDown tearDownClass"
)
_RESULT: Final = "errors expectedFailures failures skipped testsRun unexpectedSuccesses wasSuccessful"
_SECONDS: Final = re.compile(r"in \d+\.\d+s")
_LEFT_OUT: Final = ("assertLogs", "assertNoLogs", "assertWarns", "assertWarnsRegex")


def _check_test(case: unittest.TestCase, name: Any) -> None:
    """Raises for a name under which a test case has something that is not the program's: Python hands it on as it is."""
    line = type(case).__mro__
    owner = next((each for each in line if exact_name(name) in vars(each)), None)
    if not is_public(name) or not (owner is None or is_program_class(owner) or name == "runTest"):
        raise errors.CALL_REFUSED(name=f"a test {name}")


class TestCase(unittest.TestCase):
    """A test case of the program."""

    def __init__(self, methodName: str = "runTest") -> None:
        _check_test(self, methodName)
        super().__init__(methodName)

    def __getattribute__(self, name: str) -> Any:
        """Python's test case reads what this name says: no program may have put another there."""
        found = super().__getattribute__(name)
        if name == "_testMethodName":
            _check_test(self, found)
        return found

    @classmethod
    def addClassCleanup(cls, function: Any, /, *args: Any, **kwargs: Any) -> None:
        """Call something after all tests of a class of the program."""
        if not is_program_class(cls):  # whose list is that of all runs
            raise errors.CALL_REFUSED(name="addClassCleanup() of TestCase itself")
        if type(vars(cls).get("_class_cleanups")) is not list:
            put(cls, "_class_cleanups", [])
        super().addClassCleanup(function, *args, **kwargs)

    def addTypeEqualityFunc(self, typeobj: Any, function: Any) -> None:
        """Compare objects of a type by a function, or by the method of this name."""
        super().addTypeEqualityFunc(typeobj, _checked_comparison(function))

    def _getAssertEqualityFunc(self, first: Any, second: Any) -> Any:
        known = vars(self).get("_type_equality_funcs")  # read once: a table of the program's answers as it likes
        compare = known.get(type(first)) if type(first) is type(second) and type(known) is dict else None
        _checked_comparison(compare)
        return self._baseAssertEqual if compare is None else getattr(self, compare) if type(compare) is str else compare

    def enterContext(self, cm: Any) -> Any:
        """Enter a context manager that is left behind the test."""
        stack = ExitStack()
        given = stack.enter_context(cm)
        self.addCleanup(stack.close)
        return given

    def run(self, result: Any = None) -> Any:
        """Run the test. Python writes into the result, so that it is one of ours."""
        return super().run(_checked_result(result))

    def defaultTestResult(self) -> unittest.TestResult:
        """What a test that is run alone comes to."""
        return _PlainResult()

    def assertWarns(self, expected_warning: Any, *given: Any, **named: Any) -> Any:
        """The call, or the block, warns."""
        return self._warned(expected_warning, "", given, named)

    def assertWarnsRegex(self, expected_warning: Any, expected_regex: Any, *given: Any, **named: Any) -> Any:
        """The call, or the block, warns in these words."""
        return self._warned(expected_warning, expected_regex, given, named)

    def _warned(self, kind: Any, pattern: Any, given: tuple[Any, ...], named: dict[str, Any]) -> Any:
        block = _Warned(self, kind, pattern)
        if not given:
            return block
        with block:
            given[0](*given[1:], **named)
        return None

    def assertLogs(self, *given: Any, **named: Any) -> NoReturn:
        """Refused: loggers are not asked."""
        raise errors.NOT_PROVIDED(name="unittest.TestCase.assertLogs")

    assertNoLogs = assertLogs


def _checked_comparison(function: Any) -> Any:
    if isinstance(function, str) and not exact_name(function).startswith("assert"):
        raise errors.CALL_REFUSED(name=f"a comparison {function}")
    return function


class _Warned:
    """A block that has to warn."""

    def __init__(self, test: unittest.TestCase, kind: Any, pattern: Any) -> None:
        self._test, self._kind, self._pattern = test, kind, pattern
        self._filters = catch_warnings(record=True, action="always")

    def __enter__(self) -> _Warned:
        collected = self._filters.__enter__()
        assert collected is not None
        self._collected = collected
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        self._filters.__exit__()
        if kind is not None:
            return
        fitting = [each.message for each in self._collected if issubclass(each.category, self._kind)]
        if not fitting:
            self._test.fail(f"{self._kind.__name__} not triggered")
        found = [each for each in fitting if re.search(self._pattern, str(each))]
        if not found:
            wanted = self._pattern if isinstance(self._pattern, str) else self._pattern.pattern
            self._test.fail(f'"{wanted}" does not match "{fitting[0]}"')
        self.warning = found[0]


class _Short:
    """Errors in one line: Python looks for the files of a traceback."""

    def _exc_info_to_string(self, err: Any, test: Any) -> str:
        return f"{err[0].__name__}: {err[1]}"


class _PlainResult(_Short, unittest.TestResult):
    """What a test that is run alone came to."""


class _Result(_Short, unittest.TextTestResult):
    """What the tests came to, with the errors themselves."""

    raised: BaseException | None = None

    def addError(self, test: Any, err: Any) -> None:
        """An error of a test."""
        self.raised = self.raised or err[1]
        super().addError(test, err)

    def addFailure(self, test: Any, err: Any) -> None:
        """A test that found something else than it should."""
        self.raised = self.raised or err[1]
        super().addFailure(test, err)

    def addSubTest(self, test: Any, subtest: Any, err: Any) -> None:
        """The end of a part of a test."""
        self.raised = self.raised or (err and err[1])
        super().addSubTest(test, subtest, err)


class _Stream:
    """Where a runner writes: onto what the program gave, or nowhere. No time has passed."""

    def __init__(self, stream: Any) -> None:
        self._write: Callable[[str], object] = (lambda text: None) if stream is None else Target(stream).write

    def write(self, text: str) -> None:
        """One piece of the report."""
        self._write(_SECONDS.sub("in 0.000s", text))

    def flush(self) -> None:
        """Nothing waits."""


class TextTestRunner:
    """Runs tests and reports onto a stream."""

    def __init__(self, stream: Any = None, descriptions: bool = True, verbosity: int = 1, **settings: Any) -> None:
        self._stream, self._descriptions, self._verbosity = _Stream(stream), descriptions, verbosity
        self._fails_fast = bool(settings.get("failfast", False))

    def run(self, test: Any) -> _Result:
        """Run a test, or a suite of them."""
        runner = unittest.TextTestRunner(
            self._stream,
            self._descriptions,
            self._verbosity,
            self._fails_fast,
            resultclass=_Result,  # type: ignore[arg-type]  # its stream is ours
        )
        found: Any = runner.run(_checked_test(test))
        return found  # type: ignore[no-any-return]  # of the class that was asked for


def _checked_test(test: Any) -> Any:
    """A test or a suite, whatever an object says of its class."""
    if issubclass(type(test), unittest.TestSuite | TestCase):
        return test
    raise TypeError(f"{test!r} is not a test")


def _checked_result(result: Any) -> Any:
    if result is not None and type(result) not in (_PlainResult, _Result):
        raise errors.CALL_REFUSED(name=f"tests that report to {type_name(result)}")
    return result


class TestSuite(unittest.TestSuite):
    """Tests that run one after the other: Python writes into them and into the result by itself, so that each is one of ours."""

    def addTest(self, test: Any) -> None:
        """One more."""
        super().addTest(_checked_test(test))

    def addTests(self, tests: Any) -> None:
        """Some more."""
        for test in list(tests):
            self.addTest(test)

    def run(self, result: Any, debug: bool = False) -> Any:
        """Run them all."""
        return super().run(_checked_result(result), bool(debug))


class _Loader(unittest.TestLoader):
    suiteClass = TestSuite


_LOADER: Final = _Loader()


class TestLoader:
    """Finds the tests of a class of the program."""

    def loadTestsFromTestCase(self, testCaseClass: Any) -> Any:
        """All tests of a class, in the order of their names."""
        if not (isinstance(testCaseClass, type) and issubclass(testCaseClass, TestCase)):
            raise TypeError("Test cases should be derived from TestCase")
        return _LOADER.loadTestsFromTestCase(testCaseClass)

    def getTestCaseNames(self, testCaseClass: Any) -> Any:
        """The names of the tests of a class."""
        return _LOADER.getTestCaseNames(testCaseClass)


def _decorator(name: str, reasoned: bool) -> Callable[..., Any]:
    """``skip`` and its kind, for functions and classes of the program."""
    real = getattr(unittest, name)

    def guarded(decorate: Callable[[Any], Any]) -> Callable[[Any], Any]:
        def mark(test: Any) -> Any:
            if not (is_program_function(test) or (isinstance(test, type) and is_program_class(test))):
                raise errors.CALL_REFUSED(name=f"unittest.{name} of this object")
            return decorate(test)

        return mark

    return (lambda *given: guarded(real(*given))) if reasoned else guarded(real)


class _Program:
    """What `main` gives where it does not end the program."""

    def __init__(self, result: _Result) -> None:
        self.result = result


def members(namespace: dict[str, object]) -> dict[str, object]:
    """What is in ``unittest``, for a program with these global names."""
    loader = TestLoader()

    def main(*given: Any, exit: bool = True, verbosity: int = 1, testRunner: Any = None, **settings: Any) -> Any:
        tests = TestSuite()
        for _, cls in sorted((name, value) for name, value in namespace.items() if _is_case(value)):
            tests.addTest(loader.loadTestsFromTestCase(cls))
        runner = TextTestRunner(verbosity=verbosity) if testRunner is None else testRunner
        result = (runner() if isinstance(runner, type) else runner).run(tests)
        if not exit:
            return _Program(result)
        if result.raised is not None:
            raise result.raised
        raise SystemExit(not result.wasSuccessful())

    return {
        "TestCase": TestCase,
        "TestSuite": TestSuite,
        "TestResult": _PlainResult,
        "TextTestResult": OpaqueType(_Result),
        "TestLoader": TestLoader,
        "TextTestRunner": TextTestRunner,
        "SkipTest": unittest.SkipTest,
        "defaultTestLoader": loader,
        "makeSuite": loader.loadTestsFromTestCase,
        "main": main,
        "expectedFailure": _decorator("expectedFailure", False),
        **{name: _decorator(name, True) for name in ("skip", "skipIf", "skipUnless")},
    }


def _is_case(value: object) -> bool:
    return isinstance(value, type) and issubclass(value, TestCase) and value is not TestCase


def _register() -> None:
    names = [*_ASSERTS, *_CASE.split(), "_formatMessage"]  # which programs redefine: it is given texts
    allow(unittest.TestCase, [name for name in names if "ClassCleanup" not in name])
    allow(TestCase, names, writable=("longMessage", "maxDiff", "failureException"), subclass=True)
    allow(suite.BaseTestSuite, ("addTest", "addTests", "countTestCases", "run"))
    allow(TestSuite, ("addTest", "addTests", "countTestCases", "run"), shown_as=TestSuite)
    allow(unittest.TestResult, _RESULT.split())
    allow(TextTestRunner, ("run",), shown_as=TextTestRunner)
    allow(TestLoader, ("getTestCaseNames", "loadTestsFromTestCase"), shown_as=TestLoader)
    allow(_Program, ("result",))
    allow(_Warned, ("warning",))
    allow(case._AssertRaisesContext, ("exception",))
    _Result.__name__ = _Result.__qualname__ = "TextTestResult"
    _Result.__module__ = "unittest.runner"
    _PlainResult.__name__ = _PlainResult.__qualname__ = "TestResult"
    _PlainResult.__module__ = "unittest.result"
    modules = {TestCase: "unittest.case", TestSuite: "unittest.suite"}
    for cls in (TestCase, TestSuite, TextTestRunner, TestLoader):
        cls.__module__ = modules.get(cls, "unittest")


_register()
