import decimal, secrets, uuid
from decimal import Decimal, getcontext
from fractions import Fraction
import torch

getcontext().prec = 10
print(Decimal("1.1") + Decimal("2.2"), Decimal(1) / Decimal(3), Decimal("2.675").quantize(Decimal("0.01")))
with decimal.localcontext() as context:
    context.prec = 3
    print(Decimal(2).sqrt())
print(Fraction(1, 3) + Fraction(1, 6), Fraction("0.25").numerator, float(Fraction(1, 2)), Fraction(2, 3) ** 3)
print(Fraction(0.125).limit_denominator(10), torch.tensor(float(Fraction(3, 4))))
print(len(str(uuid.uuid4())), uuid.uuid5(uuid.NAMESPACE_DNS, "x.org"), uuid.UUID(int=5).hex[-2:])
print(len(secrets.token_hex(4)), secrets.choice([1]), secrets.randbelow(1))
