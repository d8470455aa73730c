"""What the library remembers of a run is not there for the next."""

from __future__ import annotations

from gradflow.engine.run import run


def test_the_library_forgets_the_keys_of_a_run() -> None:
    program = """
import re, struct, typing
class Text(str):
    def __new__(cls, text, like):
        made = super().__new__(cls, text)
        made.like = like
        return made
    def __eq__(self, other): return True
    def __hash__(self): return hash(self.like)
re.sub("a", Text(r"X\\g<0>", r"Y\\g<0>"), "abc")
struct.pack(Text("<i", "<q"), 5)
typing.List[Text("int", "str")]
"""
    after = 'import re, struct, typing\nprint(re.sub("a", r"Y\\g<0>", "abc"), len(struct.pack("<q", 5)), typing.List["str"])'
    assert run(program).error is None
    assert run(after).stdout == "Yabc 8 typing.List[ForwardRef('str')]\n"
