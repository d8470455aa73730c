import json
print(json.dumps({"a": [1, 2.5, None, True], "b": "x"}), json.loads('{"a": 1}'))
print(json.dumps({"a": 1, "b": {"c": 2}}, indent=2, sort_keys=True))
