from abc import ABC, abstractmethod
class Base(ABC):
    @abstractmethod
    def f(self): ...
class D(Base):
    def f(self): return 1
print(D().f())
Base()
