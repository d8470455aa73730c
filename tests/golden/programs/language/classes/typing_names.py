from typing import List, Dict, Optional, Tuple, Union, Callable, Any, NamedTuple, Generic, TypeVar, Iterable, Protocol
T = TypeVar("T")
class P(NamedTuple):
    x: int
    y: int = 2
p = P(1)
print(p, p.x, p._asdict(), p._replace(x=5))
class Box(Generic[T]):
    def __init__(self, v: T) -> None: self.v = v
    def get(self) -> T: return self.v
print(Box(3).get())
def f(a: List[int], b: Optional[Dict[str, int]] = None) -> Tuple[int, ...]:
    return tuple(a)
print(f([1, 2]))
x: int = 5
print(x, f.__name__)
