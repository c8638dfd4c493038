"""Checks a file of `countersign audit export --proposal` without this package.

Usage: python3 check_proof.py PROOF.json PUBLIC-KEY.pem

Needs Python 3.8 or newer and nothing else. The public key has to come from whoever you trust, not from the file.
"""
import base64, hashlib, json, re, sys

P, L = 2**255 - 19, 2**252 + 27742317777372353535851937790883648493  # Ed25519, RFC 8032
D, ROOT = -121665 * pow(121666, -1, P) % P, pow(2, (P - 1) // 4, P)

def sha(data): return hashlib.sha256(data).digest()

def add(a, b):
    k = D * a[0] * b[0] * a[1] * b[1] % P
    return ((a[0] * b[1] + b[0] * a[1]) * pow(1 + k, -1, P) % P, (a[1] * b[1] + a[0] * b[0]) * pow(1 - k, -1, P) % P)

def times(n, point):
    result = (0, 1)
    while n:
        result, point, n = (add(result, point) if n & 1 else result), add(point, point), n >> 1
    return result

def decode(data):
    y = int.from_bytes(data, "little")
    sign, y = y >> 255, y & (1 << 255) - 1
    square = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    x = pow(square, (P + 3) // 8, P)
    x = x if x * x % P == square else x * ROOT % P
    if y >= P or x * x % P != square: raise ValueError("no point of the curve")
    return (P - x if x & 1 != sign else x, y)

def signed(public, message, signature):
    s = int.from_bytes(signature[32:], "little")
    k = int.from_bytes(hashlib.sha512(signature[:32] + public + message).digest(), "little") % L
    return len(signature) == 64 and s < L and times(s, BASE) == add(decode(signature[:32]), times(k, decode(public)))

BASE = decode(bytes([0x58]) + bytes([0x66]) * 31)

def merkle_root(leaf, index, count, path):  # RFC 6962
    if count == 1: return leaf if not path else b""
    half, (*below, other) = 1 << (count - 1).bit_length() - 1, path
    if index < half: return sha(b"\1" + merkle_root(leaf, index, half, below) + other)
    return sha(b"\1" + other + merkle_root(leaf, index - half, count - half, below))

def check(file, public):
    for proof in file["proofs"]:
        text, end = proof["seal"].split("\n\n")
        name, blob = re.fullmatch("— (\\S+) (\\S+)\n", end).groups()
        key_hash, signature = base64.b64decode(blob)[:4], base64.b64decode(blob)[4:]
        assert name == "countersign/" + file["deployment"], "the seal is of another deployment"
        assert key_hash == sha(name.encode() + b"\n\1" + public)[:4], "the seal is signed by another key"
        assert signed(public, text.encode() + b"\n", signature), "the signature does not fit the seal"
        assert "list " + sha(proof["list"].encode()).hex() in text.split("\n"), "the seal names another list"
        one = proof["object"]
        line = "{key} {sha256} {root} {count}".format(**one)
        assert line in proof["list"].split("\n"), "the list does not name the object"
        path = [bytes.fromhex(node) for node in proof["proof"]]
        root = merkle_root(sha(b"\0" + proof["line"].encode()), proof["index"], one["count"], path)
        assert root.hex() == one["root"], "the entry is not in the object"
        item = json.loads(proof["line"])["item"]
        print(item["at"]["S"], item["sk"]["S"], "is sealed")
    assert file["proofs"], "the file proves nothing"

if __name__ == "__main__":
    pem = "".join(open(sys.argv[2]).read().split("\n")[1:-2])
    try:
        check(json.load(open(sys.argv[1], encoding="utf-8")), base64.b64decode(pem)[-32:])
    except (AssertionError, ValueError, KeyError, AttributeError) as problem:
        sys.exit(f"NOT proved: {problem}")
