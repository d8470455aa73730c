import csv
import glob
import io
import json
import os
import pickle
import shutil
import tempfile
from pathlib import Path

folder = tempfile.mkdtemp()
path = os.path.join(folder, "a.txt")


def told(act):
    try:
        print(repr(act()).replace(folder, "folder"))
    except Exception as error:
        print(type(error).__name__, str(error).replace(folder, "folder"))


told(lambda: os.path.exists(path))
with open(path, "w") as file:
    print(file.write("one\ntwo\n"), file.mode, file.closed, file.readable())
    told(file.read)
told(lambda: (os.path.exists(path), os.path.isfile(path), os.path.isdir(folder), os.path.getsize(path)))
with open(path, "a") as file:
    print("three", file=file)
told(lambda: [line.strip() for line in open(path)])
with open(path) as file:
    told(lambda: file.write("x"))
    told(file.readline)
    told(lambda: next(file))
told(file.read)
for mode in ("x", "q", "rw"):
    told(lambda: open(path, mode))
told(lambda: open(folder + "/none"))
told(lambda: open(folder))
with open(path, "r+") as file:
    file.write("ONE")
told(lambda: Path(path).read_text())
with open(folder + "/data.json", "w") as file:
    json.dump({"a": [1, 2.5, None]}, file, indent=1)
with open(folder + "/data.json") as file:
    told(lambda: json.load(file))
with open(folder + "/t.csv", "w", newline="") as file:
    csv.writer(file).writerows([["a", "b"], [1, 2]])
with open(folder + "/t.csv") as file:
    told(lambda: list(csv.DictReader(file)))
with open(folder + "/p.pkl", "wb") as file:
    pickle.dump([1, {"k": (2,)}], file)
with open(folder + "/p.pkl", "rb") as file:
    told(lambda: pickle.load(file))
told(lambda: sorted(os.listdir(folder)))
told(lambda: sorted(glob.glob(folder + "/*.t*")))
told(lambda: sorted(found.name for found in Path(folder).glob("*.json")))
told(lambda: os.makedirs(folder + "/x/y"))
told(lambda: os.mkdir(folder + "/x"))
told(lambda: os.makedirs(folder + "/x", exist_ok=True))
told(lambda: os.rmdir(folder + "/x"))
told(lambda: (Path(folder) / "x" / "z.txt").write_text("z"))
told(lambda: sorted(found.name for found in Path(folder).rglob("*.txt")))
told(lambda: os.rename(path, folder + "/b.txt"))
told(lambda: (Path(path).exists(), Path(folder, "b.txt").is_file()))
told(lambda: Path(folder, "b.txt").unlink())
told(lambda: Path(folder, "b.txt").unlink())
told(lambda: Path(folder, "b.txt").unlink(missing_ok=True))
told(lambda: os.remove(path))
told(lambda: os.path.basename(shutil.copy(folder + "/t.csv", folder + "/u.csv")))
shutil.rmtree(folder)
told(lambda: os.path.exists(folder))
with tempfile.TemporaryDirectory() as inner:
    Path(inner, "m").write_bytes(b"\x00\x01")
    print(Path(inner, "m").read_bytes(), os.path.isdir(inner))
print(os.path.isdir(inner))
with tempfile.NamedTemporaryFile("w+", suffix=".txt") as file:
    file.write("abc")
    file.seek(0)
    print(file.read(), file.name.endswith(".txt"))
buffer = io.BytesIO(b"abc")
buffer.seek(0, io.SEEK_END)
buffer.write(b"d")
print(buffer.getvalue(), buffer.seekable())
stream = io.StringIO()
print("text", file=stream, end="")
print(stream.getvalue(), io.StringIO("a\nb").readlines())
