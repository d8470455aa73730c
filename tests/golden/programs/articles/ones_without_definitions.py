out.backward(torch.ones(2,3))
print(a.grad)
