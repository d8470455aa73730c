import torch

# k1 = m1^2 + 3 m2 and k2 = m2^2 + 2 m1, at m = (2, 3)
m = torch.tensor([[2., 3.]], requires_grad=True)
k = torch.zeros(1, 2)
k[0, 0] = m[0, 0] ** 2 + 3 * m[0, 1]
k[0, 1] = m[0, 1] ** 2 + 2 * m[0, 0]

rows = torch.zeros(2, 2)
for i in range(2):
    one_hot = torch.zeros(1, 2)
    one_hot[0, i] = 1
    m.grad = None
    k.backward(one_hot, retain_graph=True)
    rows[i] = m.grad

print(rows)    # row i: one output, all inputs. [[4, 3], [2, 6]]
print(rows.T)  # [[4, 2], [3, 6]] has the outputs as columns
