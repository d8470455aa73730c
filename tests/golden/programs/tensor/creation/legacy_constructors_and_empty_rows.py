import torch


def tried(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)


for make in [torch.LongTensor, torch.FloatTensor, torch.Tensor, torch.HalfTensor, torch.ByteTensor, torch.BoolTensor]:
    for kind in [torch.float32, torch.int64, torch.complex64, torch.bool, torch.float16]:
        tried(lambda: make(torch.ones(2).to(kind)).dtype)
    tried(lambda: make(torch.Size([2, 3])).shape)
for data in [[[], [1]], [[[]], [[1]]], [[], 1], [[[], []], [[], [1]]], [(), (1,)], [[], None], [[], "a"], [[1], []]]:
    tried(lambda: torch.tensor(data))
