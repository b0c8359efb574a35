"""Message files with mutations that may break their JSON, and how the products' own decoder reads them."""

import json
from random import Random
from typing import Any

SOUND = [
    b'[{"ts":1776200000000,"type":"say","say":"text","text":"\\"b\\" \\u00e9 \\\\"},{"x":[1,{"y":null}]}]',
    b'[{"role":"user","content":[{"type":"text","text":"hi"},{"type":"image","n":-1.5e3}],"ts":5}]',
    b'[\n  {\n    "ts": 1,\n    "say": "api_req_started",\n    "text": "{\\"tokensIn\\":5}"\n  }\n]\n',
    '[{"ts":0,"text":"日本語 😀","partial":true,"modelInfo":{"modelId":"m"}},{}]'.encode(),
    b"[]",
]
_PIECES = [
    *(bytes([byte]) for byte in b"\"\\,:[]{}0-+.eE \t\n\r\x00\x01\x0b\x0c\x1f\x7f'/#\xa0\xff"),
    b"NaN",
    b"-Infinity",
    b"1e400",
    b"01",
    b".5",
    b"1.",
    b"0x10",
    b"tru",
    b"null",
    b",,",
    b"]]",
    b"}}",
    b'"\\ud83d"',
    b"\\x",
    b"\\u12",
    b"// x\n",
    b"'a'",
    b"undefined",
    b"\xef\xbb\xbf",
    "\u2028".encode(),
    "\u00a0".encode(),
    b"9" * 400,
]


def mutated(random: Random) -> bytes:
    """Make a file with one or two small changes, which may or may not break it."""
    data = random.choice(SOUND)
    for _ in range(random.choice([1, 1, 2])):
        at = random.randrange(len(data) + 1)
        lost = random.choice([0, 0, 1, 1, 2, 5])
        put = random.choice([*_PIECES, b""])
        data = data[:at] + put + data[at + lost :]
    return data


def parsed_strictly(data: bytes) -> Any:
    """Parse as `JSON.parse` does, by a decoder that the program does not use for it; raises ValueError."""

    def refuse(name: str) -> None:
        raise ValueError(name)

    return json.loads(data.decode("utf-8", "replace"), parse_int=float, parse_constant=refuse)
