from pprint import pprint
pprint({"a": [1,2], "b": 3})
