import torch
class Exp(torch.autograd.Function):
    @staticmethod
    def forward(ctx, i):
        result = i.exp()
        ctx.save_for_backward(result)
        return result
    @staticmethod
    def backward(ctx, grad_output):
        result, = ctx.saved_tensors
        return grad_output * result
class MulConstant(torch.autograd.Function):
    @staticmethod
    def forward(tensor, constant):
        return tensor * constant
    @staticmethod
    def setup_context(ctx, inputs, output):
        tensor, constant = inputs
        ctx.set_materialize_grads(False)
        ctx.constant = constant
    @staticmethod
    def backward(ctx, grad_output):
        if grad_output is None:
            return None, None
        return grad_output * ctx.constant, None
x = torch.tensor([1., 2.], requires_grad=True)
y = Exp.apply(x)
z = MulConstant.apply(y, 5)
print(y.grad_fn, z.grad_fn, z.grad_fn.constant, z)
z.sum().backward()
print(x.grad)
print(z.grad_fn.next_functions[0][0] is y.grad_fn, y.grad_fn.next_functions)
try:
    Exp.apply(x, x)
except TypeError as e:
    print(e)
try:
    Exp(x)
except Exception as e:
    print(type(e).__name__, e)
try:
    Exp.forward(x)
except TypeError as e:
    print(e)
class Ctx: pass
print(MulConstant.forward(x, 3))
print(issubclass(Exp, torch.autograd.Function), Exp.apply is not None)
