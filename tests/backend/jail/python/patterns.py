import re

print(re.findall(r"\w+", "grad 梯度"), re.sub("É", "e", "é", flags=re.I), re.split(r"[、,]", "a、b,c"))
print(re.fullmatch(r"\N{GREEK SMALL LETTER ALPHA}+", "αα").span(), re.search(r"(?i)STRASSE|ſ", "S").group())
try:
    re.compile("(")
except re.error as error:
    print(error)
