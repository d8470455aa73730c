import torch
a = torch.tensor([1., 2.], requires_grad=True)
b = torch.tensor([[1., 2.], [3., 4.]], requires_grad=True)
out = (torch.relu(b @ a) + a.sum()).mean()
seen = []
def walk(fn, d=0):
    print("." * d + fn.name(), len(fn.next_functions))
    for f, i in fn.next_functions:
        if f is None:
            print("." * (d + 1) + "None", i)
        else:
            walk(f, d + 1)
walk(out.grad_fn)
fn = out.grad_fn
fn.metadata["k"] = 3
print(fn.metadata, out.grad_fn.metadata)
print(fn.next_functions[0][0] is out.grad_fn.next_functions[0][0])
print(out.grad_fn == out.grad_fn, out.grad_fn is out.grad_fn)
const = torch.ones(2) * a
print(const.grad_fn.next_functions)
