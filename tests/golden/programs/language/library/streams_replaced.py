import contextlib
import io
import sys

import torch


class Tee:
    """What is printed, kept too."""

    def __init__(self, stream):
        self.stream, self.kept = stream, []

    def write(self, text):
        self.stream.write(text)
        self.kept.append(text)

    def flush(self):
        self.stream.flush()


tee = sys.stdout = Tee(sys.stdout)
w = torch.ones(2, requires_grad=True)
(w * w).sum().backward()
print("gradient", w.grad)
print("ends", end="!\n", flush=True)
sys.stdout.write("written\n")
sys.stdout = tee.stream
print("".join(tee.kept).split())

inner = io.StringIO()
with contextlib.redirect_stdout(inner):
    print("inside", file=sys.stdout)
    tee.stream.write("past it\n")
    print(sys.stdout is inner)
print(repr(inner.getvalue()), sys.stdout is inner)

before, sys.stdout = sys.stdout, io.StringIO()
print("held back", w.sum().item())
text, sys.stdout = sys.stdout.getvalue(), before
print(text.upper())

sys.stderr = io.StringIO()
print("for the log", file=sys.stderr)
print(sys.stderr.getvalue())
sys.stderr = io.StringIO()
sys.stdout = None
print("nowhere")
