import re
print(re.findall(r"\d+", "a1b22c333"), re.sub(r"\s+", " ", "a   b"), re.match(r"(\w+)=(\d+)", "lr=3").groups())
m = re.search(r"(?P<k>\w+)", "hello world")
print(m.group("k"), m.start(), m.span(), m[0], re.split(",", "a,b"), re.compile("a+").fullmatch("aaa") is not None)
