import torch
a = torch.tensor([1., 2.], requires_grad=True)
b = a + 1
b.backward(torch.ones(2), retain_graph=True, inputs=[a, b])
print(a.grad, b.grad, b.retains_grad)
c = b * 2
c.backward(torch.ones(2), inputs=b)
print(a.grad, b.grad)
d = (a * 2).sum()
d.backward(inputs=[d])
print(d.grad, a.grad)
