class A:
    def __setattr__(self, k, v):
        print("set", k, v)
        super().__setattr__(k, v)
a = A(); a.x = 1
print(a.x, vars(a), a.__dict__, sorted(k for k in dir(a) if not k.startswith("_")))
class B:
    def __setattr__(self, k, v):
        object.__setattr__(self, k, v * 2)
b = B(); b.y = 4; print(b.y)
