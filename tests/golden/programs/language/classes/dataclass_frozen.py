import dataclasses
@dataclasses.dataclass(frozen=True, order=True)
class P:
    x: int
    y: int = 0
    def norm(self): return (self.x**2 + self.y**2) ** .5
p = P(3, 4)
print(p, p.norm(), hash(p) == hash(P(3,4)), P(1) < P(2), sorted([P(3), P(1)]))
print(dataclasses.asdict(p), dataclasses.astuple(p), dataclasses.replace(p, y=9))
print([f.name for f in dataclasses.fields(p)])
p.x = 5
