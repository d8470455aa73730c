"""Names and texts beyond ASCII: Python loads its table of characters when it meets the first."""

变量, π = 1, 3.14
print(变量, π, "变量".isidentifier(), "é".isalpha(), "٣".isdigit())
ﬁ, ℌ, ⅷ = 1, 2, 3
print(fi, H, viii)
print("\N{GREEK SMALL LETTER ALPHA}", "\N{CJK UNIFIED IDEOGRAPH-68AF}", "ß".upper(), "ﬁ".casefold(), "İ".lower())
try:
    print(未定义)
except NameError as error:
    print(error)


class 点:
    def __init__(self, 横):
        self.横 = 横


print(点(2).横, sorted(vars(点(2))))
