# messages as PyTorch prints them
"""The backward pass, its modes and its effects on leaves, in small programs with what PyTorch 2.13 prints."""

from __future__ import annotations

import pytest

from gradflow.engine.run import run

PROGRAMS = {
    "accumulates": (
        """
x = torch.tensor([1., 2.], requires_grad=True)
y = (x * x).sum()
y.backward(retain_graph=True)
first = x.grad
y.backward()
print(first is x.grad, x.grad.tolist())
""",
        """\
True [4.0, 8.0]
""",
    ),
    "second_backward_leaves_grad_alone": (
        """
x = torch.tensor([1., 2.], requires_grad=True)
y = (x * x).sum()
y.backward()
try:
    y.backward()
except RuntimeError as error:
    print(str(error)[:60])
print(x.grad.tolist())
""",
        """\
Trying to backward through the graph a second time (or direc
[2.0, 4.0]
""",
    ),
    "part_of_graph_freed": (
        """
x = torch.tensor(2., requires_grad=True)
a = x * x
b, c = a * 3, a + 1
b.backward()
try:
    c.backward()
except RuntimeError as error:
    print('freed')
print(x.grad.item())
""",
        """\
freed
12.0
""",
    ),
    "copy_slices_of_transposed_base": (
        """
x = torch.arange(6.).reshape(2, 3).requires_grad_()
base = (x * 2).t()
base[1] = x[:, 0] * 10
base[0, 1] = 5.
base.mul_(torch.arange(1., 7.).reshape(3, 2))
(base * base).sum().backward()
print(base.is_contiguous(), base.grad_fn.name(), base._version)
print(x.grad.tolist())
""",
        """\
False AsStridedBackward0 3
[[0.0, 0.0, 400.0], [9600.0, 0.0, 1440.0]]
""",
    ),
    "copy_slices_through_two_views": (
        """
x = torch.ones(2, 3, requires_grad=True)
y = x * 1
v = y[0][1:]
v *= 3
y[:, 2] += x[:, 0]
y.sum().backward()
print(v.grad_fn.name(), y.grad_fn.name(), v.tolist(), x.grad.tolist())
""",
        """\
AsStridedBackward0 torch::autograd::CopySlices [3.0, 4.0] [[2.0, 3.0, 3.0], [2.0, 1.0, 1.0]]
""",
    ),
    "copy_slices_second_order": (
        """
x = torch.tensor([1., 2., 3.], requires_grad=True)
w = torch.tensor([2., 5.], requires_grad=True)
y = x * x
y[1:] = (w * w * x[:2]) ** 2
g, h = torch.autograd.grad((y * y).sum(), (x, w), create_graph=True)
print(g.tolist(), h.tolist())
(g.sum() + h.sum()).backward()
print(x.grad.tolist(), w.grad.tolist())
""",
        """\
[1028.0, 12500000.0, 0.0] [1024.0, 10000000.0]
[7180.0, 38750000.0, 0.0] [7680.0, 34000000.0]
""",
    ),
    "copy_slices_of_column_second_order": (
        """
x = torch.arange(1., 7.).reshape(2, 3).requires_grad_()
y = (x ** 2).t().contiguous().t()
y[:, 1] *= x[:, 2]
g, = torch.autograd.grad((y ** 2).sum(), x, create_graph=True)
g2, = torch.autograd.grad((g * g).sum(), x)
print(g.tolist())
print(g2.tolist())
""",
        """\
[[4.0, 288.0, 204.0], [256.0, 18000.0, 8364.0]]
[[96.0, 327168.0, 167712.0], [98304.0, 489168000.0, 244136496.0]]
""",
    ),
    "overlapping_writes": (
        """
x = torch.ones(4, requires_grad=True)
y = x * 2
y[:3] *= y[1:].detach().clone()
y[1:] += x[:3]
y[::2] = 0
y.sum().backward()
print(x.grad.tolist(), y.tolist())
""",
        """\
[1.0, 4.0, 1.0, 2.0] [0.0, 5.0, 0.0, 3.0]
""",
    ),
    "overlap_is_refused": (
        """
x = torch.arange(9.)
y = x.clone().view(3, 3)
tries = [
    lambda: x[:3].mul_(x[1:4]),
    lambda: x[1:].copy_(x[:-1]),
    lambda: y.mul_(y.t()),
    lambda: y[:, :2].add_(y[:, 1:]),
    lambda: y.add_(y),
    lambda: x[:4].mul_(x[4:8]),
    lambda: x[:4].add_(x.data[1:5]),
    lambda: x[:4].mul_(x[1]),
]
for attempt in tries:
    try:
        print(attempt().tolist())
    except RuntimeError as error:
        print(error)
""",
        """\
unsupported operation: some elements of the input tensor and the written-to tensor refer to a single memory location. Please clone() the tensor before performing the operation.
unsupported operation: some elements of the input tensor and the written-to tensor refer to a single memory location. Please clone() the tensor before performing the operation.
unsupported operation: some elements of the input tensor and the written-to tensor refer to a single memory location. Please clone() the tensor before performing the operation.
[[1.0, 3.0], [7.0, 9.0], [13.0, 15.0]]
[[2.0, 6.0, 4.0], [14.0, 18.0, 10.0], [26.0, 30.0, 16.0]]
[0.0, 5.0, 12.0, 21.0]
unsupported operation: some elements of the input tensor and the written-to tensor refer to a single memory location. Please clone() the tensor before performing the operation.
unsupported operation: some elements of the input tensor and the written-to tensor refer to a single memory location. Please clone() the tensor before performing the operation.
""",
    ),
    "masked_write": (
        """
x = torch.tensor([1., -2., 3.], requires_grad=True)
y = x * 2
y[y < 0] *= x[1] ** 2
y.sum().backward()
print(y.tolist(), x.grad.tolist())
""",
        """\
[2.0, -16.0, 6.0] [2.0, 24.0, 2.0]
""",
    ),
    "no_grad_inside_function": (
        """
x = torch.tensor(3., requires_grad=True)
with torch.no_grad():
    a = x * x
    with torch.enable_grad():
        b = x * x
    c = x * 2
print(a.requires_grad, b.requires_grad, c.requires_grad, torch.is_grad_enabled())
""",
        """\
False True False True
""",
    ),
    "hook_replaces": (
        """
x = torch.tensor([1., 2.], requires_grad=True)
y = x * 3
handle = y.register_hook(lambda g: g * 10)
y.register_hook(lambda g: g + 1)
y.sum().backward(retain_graph=True)
print(x.grad.tolist())
handle.remove()
y.sum().backward()
print(x.grad.tolist())
""",
        """\
[33.0, 33.0]
[39.0, 39.0]
""",
    ),
    "hook_on_leaf_and_none": (
        """
x = torch.tensor([1., 2.], requires_grad=True)
seen = []
x.register_hook(lambda g: seen.append(g.tolist()))
(x * x).sum().backward()
print(seen, x.grad.tolist())
""",
        """\
[[2.0, 4.0]] [2.0, 4.0]
""",
    ),
    "retain_grad_twice": (
        """
x = torch.tensor([1., 2.], requires_grad=True)
y = x * 3
y.retain_grad()
y.retain_grad()
(y * y).sum().backward(retain_graph=True)
(y * y).sum().backward()
print(y.grad.tolist(), x.grad.tolist(), y.retains_grad, x.retains_grad)
""",
        """\
[12.0, 24.0] [36.0, 72.0] True False
""",
    ),
    "grad_of_unused": (
        """
x = torch.tensor(1., requires_grad=True)
z = torch.tensor(1., requires_grad=True)
print(torch.autograd.grad(x * 2, (x, z), allow_unused=True))
print(torch.autograd.grad(x * 2, (x, z), materialize_grads=True))
try:
    torch.autograd.grad(x * 2, (x, z))
except RuntimeError as error:
    print(error)
""",
        """\
(tensor(2.), None)
(tensor(2.), tensor(0.))
The differentiated Tensor at index 1 appears to not have been used in the graph. Set allow_unused=True if this is the desired behavior.
""",
    ),
    "inputs_argument": (
        """
x = torch.tensor(2., requires_grad=True)
w = torch.tensor(3., requires_grad=True)
y = x * w
z = y * y
z.backward(inputs=[w, y])
print(x.grad, w.grad, y.grad)
""",
        """\
None tensor(24.) tensor(12.)
""",
    ),
    "grad_of_intermediate_and_leaf": (
        """
x = torch.tensor(2., requires_grad=True)
y = x * x
z = y * x
print(torch.autograd.grad(z, (x, y, z)))
""",
        """\
(tensor(12.), tensor(2.), tensor(1.))
""",
    ),
    "several_outputs": (
        """
x = torch.tensor([1., 2.], requires_grad=True)
a, b = x * 2, x * x
torch.autograd.backward((a, b.sum()), (torch.tensor([1., 10.]), None))
print(x.grad.tolist())
""",
        """\
[4.0, 24.0]
""",
    ),
    "same_output_twice": (
        """
x = torch.tensor([1., 2.], requires_grad=True)
y = x * x
print(torch.autograd.grad((y, y), x, (torch.ones(2), torch.tensor([1., 0.]))))
""",
        """\
(tensor([4., 4.]),)
""",
    ),
    "unused_result_of_several": (
        """
x = torch.tensor([[1., 5.], [7., 2.]], requires_grad=True)
values, indices = x.max(1)
(values * 2).sum().backward()
print(x.grad.tolist(), indices.tolist(), indices.requires_grad)
a, b = x.unbind(0)
print(torch.autograd.grad(b.sum(), x))
""",
        """\
[[0.0, 2.0], [2.0, 0.0]] [1, 0] False
(tensor([[0., 0.],
        [1., 1.]]),)
""",
    ),
    "expanded_leaf": (
        """
x = torch.tensor([[1.], [2.]], requires_grad=True)
y = x.expand(2, 3)
(y * torch.arange(6.).reshape(2, 3)).sum().backward()
print(x.grad.tolist())
""",
        """\
[[3.0], [12.0]]
""",
    ),
    "diamond_in_order_of_creation": (
        """
order = []
x = torch.tensor(1., requires_grad=True)
a = x * 2
b = x * 3
c = b * a
for name, t in (('a', a), ('b', b), ('c', c)):
    t.register_hook(lambda g, name=name: order.append(name))
c.backward()
print(order, x.grad.item())
""",
        """\
['c', 'b', 'a'] 12.0
""",
    ),
    "gradient_dtype_is_cast": (
        """
x = torch.tensor([1., 2.], requires_grad=True)
y = x * 2
y.backward(torch.tensor([1, 2]))
print(x.grad, x.grad.dtype)
d = torch.tensor([1., 2.], dtype=torch.float64, requires_grad=True)
(d * torch.tensor([1.5, 2.5])).sum().backward()
print(d.grad.dtype)
""",
        """\
tensor([2., 4.]) torch.float32
torch.float64
""",
    ),
    "write_through_detach_is_seen": (
        """
x = torch.tensor([1., 2.], requires_grad=True)
y = x.exp()
y.detach().zero_()
try:
    y.sum().backward()
except RuntimeError as error:
    print(str(error)[:120])
""",
        """\
one of the variables needed for gradient computation has been modified by an inplace operation: [torch.FloatTensor [2]],
""",
    ),
    "create_graph_then_plain": (
        """
x = torch.tensor(2., requires_grad=True)
y = x ** 3
g, = torch.autograd.grad(y, x, create_graph=True)
(g * g).backward()
print(g, x.grad)
""",
        """\
tensor(12., grad_fn=<MulBackward0>) tensor(288.)
""",
    ),
    "views_share_gradient": (
        """
x = torch.arange(4., requires_grad=True)
v = x.view(2, 2)
t = v.t()
(t[0] * x[:2]).sum().backward()
print(x.grad.tolist(), t._base is x)
""",
        """\
[0.0, 2.0, 1.0, 0.0] True
""",
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_program_prints_what_pytorch_prints(name: str) -> None:
    source, expected = PROGRAMS[name]
    trace = run("import torch\n" + source)
    assert trace.error is None
    assert trace.stdout == expected
