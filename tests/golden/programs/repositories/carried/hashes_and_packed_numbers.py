import base64, gzip, hashlib, io, struct, zlib
import torch

t = torch.arange(6, dtype=torch.float32).view(2, 3)
print(hashlib.md5(t.numpy().tobytes()).hexdigest(), hashlib.sha256(b"x").hexdigest()[:8])
h = hashlib.sha1()
h.update(b"a")
print(h.hexdigest(), h.digest_size, h.name, hashlib.new("md5", b"q").hexdigest())
z = zlib.compress(b"a" * 100)
print(len(z), zlib.decompress(z)[:3], zlib.crc32(b"abc"), zlib.adler32(b"abc"))
print(gzip.decompress(gzip.compress(b"hello")), base64.b64encode(b"hi"))
print(
    struct.pack("<if", 1, 2.0),
    struct.unpack(">I", b"\x00\x00\x08\x03"),
    struct.calcsize("4s"),
    struct.Struct("<H").size,
)
buffer = io.BytesIO()
with gzip.GzipFile(fileobj=buffer, mode="wb") as packed:
    packed.write(b"first\nsecond\n")
buffer.seek(0)
print(gzip.GzipFile(fileobj=buffer).readlines())
with gzip.open("/tmp/gradflow_packed.gz", "wb") as file:
    file.write(b"kept")
with gzip.open("/tmp/gradflow_packed.gz") as file:
    print(file.read())
