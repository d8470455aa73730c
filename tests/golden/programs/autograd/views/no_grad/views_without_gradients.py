import torch


def describe(name, t):
    print(name, t.grad_fn and t.grad_fn.name(), t.requires_grad, t.is_leaf, t._base is None)


def attempt(name, function):
    try:
        print(name, function())
    except Exception as error:
        print(name, type(error).__name__, error)


x = torch.ones(2, 3, requires_grad=True)
y = x * 2
for mode in (torch.no_grad, torch.inference_mode):
    with mode():
        row = x.unbind(0)[0]
        flat = y.view(6)
        again = row.view(-1)
    for view in (row, flat, again):
        describe("view", view)
        print(view)
        describe("squeezed", torch.squeeze(view))
        describe("times", view * 1)
        print((view * 1).grad_fn.next_functions)
        describe("viewed", view.view(-1))
        describe("joined", torch.cat([view, view]))
        (view * x.sum()).sum().backward()
        attempt("grad", lambda: view.grad)
        attempt("grad of x", lambda: x.grad)
        attempt("grad for the view", lambda: torch.autograd.grad(view.sum(), view))
        attempt("grad for x", lambda: torch.autograd.grad((view * x.sum()).sum(), x))
        attempt("nothing", lambda: view.sum().backward(inputs=[view]))
        attempt("in place", lambda: view.exp_())
        view.requires_grad_()
        view.sum().backward()
        attempt("grad after asking", lambda: view.grad)

zero = torch.tensor(2.0)
for index in (0, 1, -1, (0, 0), (0, None), slice(0, 1)):
    attempt(index, lambda: zero[index])
