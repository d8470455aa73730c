print(f"{1234567.5:n} {1234567:,} {0.25:.1%} {1e300:g} {'梯':>4} {1 + 2j:.2f}")
template = "%s %r %5.2f %o %c"
print(template % ("a", "梯", 2.5, 255, "é"), f"{3!r:>5} {'é'!a} {10**9:_}")
print(round(2.675, 2), repr(1e16), 0.1 + 0.2, int("٣"), float("１.5"), complex("1e5+2j"), (0.1).as_integer_ratio())
print(
    "a\tb".expandtabs(), "ab".translate({97: "梯"}), "x".join("abc"), b"\xe6\xa2\xaf".decode(), bytes.fromhex("e6a2af")
)
print(len({"a", "b", "leaf", "grad"}), sorted({"leaf", "grad", "a"}), {"b", "a", "leaf", "grad"})
