class MyError(ValueError):
    def __init__(self, msg, code):
        super().__init__(msg)
        self.code = code


class Model:
    class Broken(Exception):
        pass


try:
    try:
        raise MyError("bad", 3)
    except MyError as e:
        print(e, e.code, e.args)
        raise RuntimeError("outer") from e
    finally:
        print("finally")
except RuntimeError as e:
    print(repr(e.__cause__), e.__cause__.code, repr(e.__context__))
raise Model.Broken("x")
