from enum import Enum, auto, IntEnum
class Act(Enum):
    RELU = auto()
    TANH = "tanh"
print(Act.RELU, Act.TANH.value, Act.TANH.name, list(Act), Act("tanh"), Act["RELU"], repr(Act.RELU))
class L(IntEnum):
    A = 1
    B = 2
print(L.A + 1, L.B > L.A, L(2))
print(Act.RELU is Act.RELU, Act.RELU == Act.TANH, {Act.RELU: 1}[Act.RELU], isinstance(Act.RELU, Act))
Act("x")
