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

def times(n, point, add, zero):
    result = zero
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

def ed25519(public, message, signature):
    s = int.from_bytes(signature[32:], "little")
    k = int.from_bytes(hashlib.sha512(signature[:32] + public + message).digest(), "little") % L
    many = lambda n, point: times(n, point, add, (0, 1))
    return len(signature) == 64 and s < L and many(s, BASE) == add(decode(signature[:32]), many(k, decode(public)))

BASE = decode(bytes([0x58]) + bytes([0x66]) * 31)

Q = 2**256 - 2**224 + 2**192 + 2**96 - 1  # P-256, FIPS 186
N = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
G = (0x6B17D1F2E12C4247F8BCE6E563A440F277037D812DEB33A0F4A13945D898C296,
     0x4FE342E2FE1A7F9B8EE7EB4A7C0F9E162BCE33576B315ECECBB6406837BF51F5)

def plus(a, b):  # None is the point at infinity
    if not a or not b: return a or b
    if a[0] == b[0] and a[1] != b[1]: return None
    slope = (3 * a[0] ** 2 - 3) * pow(2 * a[1], -1, Q) if a == b else (b[1] - a[1]) * pow(b[0] - a[0], -1, Q)
    x = (slope * slope - a[0] - b[0]) % Q
    return x, (slope * (a[0] - x) - a[1]) % Q

def der(tag, body): return bytes([tag, len(body)]) + body

def number(n): return der(2, n.to_bytes(n.bit_length() // 8 + 1, "big"))

def ecdsa(public, message, signature):
    parts = signature[4:4 + signature[3]], signature[6 + signature[3]:]
    r, s = (int.from_bytes(part, "big") for part in parts)
    if signature != der(48, number(r) + number(s)) or not (0 < r < N and 0 < s <= N // 2): return False  # of two that fit, the lower s
    e, w = int.from_bytes(sha(message), "big"), pow(s, -1, N)
    point = tuple(int.from_bytes(part, "big") for part in (public[:32], public[32:]))
    sum = plus(times(e * w % N, G, plus, None), times(r * w % N, point, plus, None))
    return sum is not None and sum[0] % N == r

def key_of(spki):  # how it verifies, and what its id is the hash of
    for kind, prefix in (ed25519, "302a300506032b6570032100"), (ecdsa, "3059301306072a8648ce3d020106082a8648ce3d03010703420004"):
        public = spki[len(prefix) // 2:]
        if spki.hex().startswith(prefix) and len(public) == (32 if kind is ed25519 else 64):
            return kind, public, lambda name: sha(name + b"\n\1" + public if kind is ed25519 else spki)[:4]
    raise ValueError("the key is neither an Ed25519 nor a P-256 key")

def merkle_root(leaf, index, count, path):  # RFC 6962
    if count == 1: return leaf if not path else b""
    half, (*below, other) = 1 << (count - 1).bit_length() - 1, path
    if index < half: return sha(b"\1" + merkle_root(leaf, index, half, below) + other)
    return sha(b"\1" + other + merkle_root(leaf, index - half, count - half, below))

def hold(fact, problem):  # not `assert`, which python3 -O leaves out
    if not fact: raise ValueError(problem)

def pid_of(*fields):  # each field behind its length, so that no two lists of fields are the same text
    return sha("".join(f"{len(field.encode())}:{field}" for field in fields).encode()).hex()

def check(file, spki):
    signed, public, id_for = key_of(spki)
    pid = pid_of(file["deployment"], file["agent"], file["proposal"])
    for proof in file["proofs"]:
        text, end = proof["seal"].split("\n\n")
        name, blob = re.fullmatch("— (\\S+) (\\S+)\n", end).groups()
        key_hash, signature = base64.b64decode(blob)[:4], base64.b64decode(blob)[4:]
        hold(name == "countersign/" + file["deployment"], "the seal is of another deployment")
        hold(key_hash == id_for(name.encode()), "the seal is signed by another key")
        hold(signed(public, text.encode() + b"\n", signature), "the signature does not fit the seal")
        hold("list " + sha(proof["list"].encode()).hex() in text.split("\n"), "the seal names another list")
        one = proof["object"]
        line = "{key} {sha256} {root} {count}".format(**one)
        hold(line in proof["list"].split("\n"), "the list does not name the object")
        path = [bytes.fromhex(node) for node in proof["proof"]]
        root = merkle_root(sha(b"\0" + proof["line"].encode()), proof["index"], one["count"], path)
        hold(root.hex() == one["root"], "the entry is not in the object")
        entry = json.loads(proof["line"])  # a change of an entry is archived and sealed as well
        hold(entry["event"] == "insert", "the line is no entry, but one that was changed, removed or misplaced")
        agent, own = entry["item"]["pk"]["S"].split("/")[-1].split("#")
        hold((agent, own) == (file["agent"], pid), "the entry is of another proposal")
        print(entry["item"]["at"]["S"], entry["item"]["sk"]["S"], "is sealed")
    hold(file["proofs"], "the file proves nothing")

if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    try:
        pem = re.sub(r"-----[A-Z ]+-----|\s", "", open(sys.argv[2]).read())
        check(json.load(open(sys.argv[1], encoding="utf-8")), base64.b64decode(pem))
    except (ValueError, TypeError, KeyError, IndexError, AttributeError, OSError) as problem:
        sys.exit(f"NOT proved: {problem}")
