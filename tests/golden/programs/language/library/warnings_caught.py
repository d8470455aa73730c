import warnings
warnings.warn("mind this", UserWarning)
with warnings.catch_warnings():
    warnings.simplefilter("error")
    try:
        warnings.warn("boom")
    except UserWarning as e:
        print("caught", e)
with warnings.catch_warnings(record=True) as w:
    warnings.simplefilter("always")
    warnings.warn("seen", DeprecationWarning)
    print(len(w), w[0].category.__name__, w[0].message)
