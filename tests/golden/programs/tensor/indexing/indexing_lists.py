import torch


def T(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, str(e).split("\n")[0])


x = torch.arange(6.0).view(2, 3)
T(lambda: x[["a"]])
T(lambda: x[[[0], [0, 1]]])
T(lambda: x[[0, "a"]])
T(lambda: x[[0, None]])
T(lambda: x[[True, 1]])
T(lambda: x[[1.7, 0]])
T(lambda: x[[[0, 1], [0, 1, 2]],])
T(lambda: x[([0, 1], [0, 1, 2])])
T(lambda: x[""])
T(lambda: x["ab"])
T(lambda: x[b"ab"])
T(lambda: x[{1}])
T(lambda: x[[0] * 33].shape)
T(lambda: x[(0,),])
T(lambda: x[((0, 1), (1, 2))])
T(lambda: x[[(0, 1), (1, 2)]])
T(lambda: x[0, (0, 2)])
T(lambda: x[x > 2, 0])
T(lambda: x[2.0])
T(lambda: x[[{}]])
T(lambda: x[object])
T(lambda: x[[object]])
T(lambda: x[lambda: 0])


def st(x, k, v):
    x = x.clone()
    x[k] = v
    return x


for d in (torch.int64, torch.int32, torch.float64, torch.bool, torch.uint8, torch.float16):
    T(lambda: st(torch.zeros(2, dtype=d), 0, 1j))
    T(lambda: st(torch.zeros(2, dtype=d), 0, 300))
    T(lambda: st(torch.zeros(2, dtype=d), 0, float("inf")))
    T(lambda: st(torch.zeros(2, dtype=d), 0, float("nan")))
    T(lambda: st(torch.zeros(2, dtype=d), 0, 2**40))
    T(lambda: st(torch.zeros(2, dtype=d), 0, -1))
    T(lambda: st(torch.zeros(2, dtype=d), 0, 2**70))
T(lambda: st(torch.zeros(2), 0, "a"))
T(lambda: st(torch.zeros(2), 0, None))
T(lambda: st(torch.zeros(2), 0, [1.0]))
T(lambda: st(torch.zeros(2), [0], [1.0]))
import numpy as np

T(lambda: st(torch.zeros(2), 0, np.float64(2)))
T(lambda: st(torch.zeros(2), 0, np.array([1.0])))
T(lambda: x[np.array([0, 1])])
T(lambda: x[np.array([[0, 1], [1, 0]])])
T(lambda: x[np.int64(1)])
T(lambda: x[np.array([True, False])])
T(lambda: x[np.array(1)])
T(lambda: x[np.array([0.0, 1.0])])
T(lambda: x[torch.tensor([7, 9])])
T(lambda: x[torch.tensor([0, -9, 9])])
T(lambda: x[torch.tensor([0, 9]), torch.tensor([9, 0])])
T(lambda: x[None, :, torch.tensor([9])])
T(lambda: x.index_put((torch.tensor([0]), torch.tensor([9])), torch.tensor(1.0)))
T(lambda: x[torch.tensor([0, 1]).int(), torch.tensor([0, 1])])
T(lambda: torch.zeros(0)[torch.tensor([0])])
T(lambda: torch.zeros(0, 3)[torch.tensor([], dtype=torch.long)])
T(lambda: torch.zeros(3, 0)[torch.tensor([0, 5])])
T(lambda: torch.zeros(3, 0)[:, torch.tensor([0])])
