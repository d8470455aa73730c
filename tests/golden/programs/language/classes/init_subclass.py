class R:
    registry = {}
    def __init_subclass__(cls, **kw):
        super().__init_subclass__(**kw)
        R.registry[cls.__name__] = cls
class X(R): pass
print(R.registry)
