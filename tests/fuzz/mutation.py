"""Change bytes at random, in the same way for the same seed."""

from random import Random

_JSON = (b'"', b"\\", b"[", b"]", b"{", b"}", b",", b":", b"-", b"1e999", b"null", b"18446744073709551616")
_TEXT = (b"\0", b"\r\n", b"\n", b"---", b"\xff", b"\\ud83d", b"\xef\xbb\xbf", b"\xe2\x80\xa8")


def mutated(data: bytes, random: Random) -> bytes:
    """Cut, repeat, overwrite or splice in parts of JSON, headers and YAML, one to three times."""
    for _ in range(random.randint(1, 3)):
        data = _once(data, random)
    return data


def _once(data: bytes, random: Random) -> bytes:
    start, end = sorted(random.randrange(len(data) + 1) for _ in range(2))
    kind = random.randrange(4)
    if kind == 0:
        return data[:start] + data[end:]
    if kind == 1:
        return data[:end] + data[start:]
    if kind == 2:
        return data[:start] + bytes([random.randrange(256)]) + data[start + 1 :]
    return data[:start] + random.choice(_JSON + _TEXT) + data[start:]
