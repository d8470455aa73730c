from typing import Protocol, runtime_checkable
@runtime_checkable
class HasLen(Protocol):
    def __len__(self) -> int: ...
class A:
    def __len__(self): return 1
class B: pass
print(isinstance([1], HasLen), isinstance(A(), HasLen), isinstance(B(), HasLen), issubclass(A, HasLen), issubclass(list, HasLen), issubclass(B,HasLen))
import dataclasses, enum, torch, numpy as np
@dataclasses.dataclass(slots=True)
class S:
    x: int = 1
print(S())
class E(enum.IntEnum):
    A=1
print(np.array([E.A, 2]), np.asarray(E.A))
class I(int): pass
print(np.array([I(3)]), np.asarray(I(4)))
class F(float): pass
print(torch.tensor([F(2.)]), np.float32(F(3)))
