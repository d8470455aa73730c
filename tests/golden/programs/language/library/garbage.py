import gc, copy
print(copy.deepcopy({"a": [1]}))
gc.collect()
print("ok")
