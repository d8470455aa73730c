import torch
x = torch.ones(2, 3, requires_grad=True)
y = x * 1
for op in ['t_', 'squeeze_', 'detach_', 'zero_', 'requires_grad_', 'relu_', 'sigmoid_', 'exp_', 'neg_', 'abs_', 'sqrt_', 'round_', 'tanh_', 'reciprocal_', 'sign_', 'square_', 'floor_', 'log_', 'cos_', 'trunc_', 'frac_', 'erf_']:
    y = x * 1
    v = y[0:1]
    try:
        r = getattr(v, op)()
        print(op, r is v, v.grad_fn and v.grad_fn.name(), y.grad_fn and y.grad_fn.name(), y._version, v.shape)
    except RuntimeError as e:
        print(op, e)
