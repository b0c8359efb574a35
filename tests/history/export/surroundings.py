"""Surroundings in which transcripts hold a text: escapes, colors, diffs, line numbers, URLs, broken lines."""

import json
import re
from collections.abc import Callable
from typing import Final
from urllib.parse import quote

from tests.history.export.secret_formats import Sample

_ESC: Final = "\x1b"


def _lines(text: str, prefix: Callable[[int], str]) -> str:
    return "\n".join(prefix(number) + line for number, line in enumerate(text.split("\n"), 1))


def _json(text: str, depth: int) -> str:
    for _ in range(depth):
        text = json.dumps({"out": text})
    return text


def _hidden(sample: Sample) -> str:
    text = sample.text
    for secret in sample.secrets:
        middle = len(secret) // 2
        text = text.replace(secret, f"{secret[:middle]}\u200b{secret[middle:]}")
    return text


def _broken(sample: Sample, breaking: str) -> str:
    """Break the longest line of the secret where a console of its width less a third would."""
    secret = max(sample.secrets, key=len)
    place = max(6, len(secret) * 2 // 3)
    return sample.text.replace(secret, secret[:place] + breaking + secret[place:])


SURROUNDINGS: Final[dict[str, Callable[[Sample], str]]] = {
    "plain": lambda s: s.text,
    "sentence": lambda s: f"I used {s.text} for it",
    "backticks": lambda s: f"`{s.text}`",
    "escapedNewline": lambda s: _json(f"token:\n{s.text}\nnext", 1),
    "escapedTab": lambda s: _json(f"a\t{s.text}\tb", 1),
    "escapedReturn": lambda s: _json(f"a\r\n{s.text}\r\nb", 1),
    "escapedTwice": lambda s: _json(f"a\n{s.text}\nb", 2),
    "escapedThrice": lambda s: _json(f"a\n{s.text}\nb", 3),
    "unicodeEscapes": lambda s: _json(s.text, 1).replace('\\"', "\\u0022").replace("=", "\\u003d"),
    "color": lambda s: f"{_ESC}[32m{s.text}{_ESC}[0m",
    "colorGlued": lambda s: f"out{_ESC}[1;31m{s.text}{_ESC}[mrest",
    "colorEscaped": lambda s: _json(f"{_ESC}[32m{s.text}{_ESC}[0m\n", 1),
    "colorOctal": lambda s: f"\\033[32m{s.text}\\033[0m",
    "highlight": lambda s: s.text.replace(
        s.secrets[0], f"{_ESC}[01;31m{_ESC}[K{s.secrets[0][:4]}{_ESC}[m{_ESC}[K{s.secrets[0][4:]}"
    ),
    "percent": lambda s: f"value%3D{quote(s.text, safe='')}%26x",
    "url": lambda s: f"https://example.com/cb?data={quote(s.text, safe='')}&x=1",
    "underscore": lambda s: f"old_{s.text}",
    "hyphen": lambda s: f"old-{s.text}",
    "added": lambda s: _lines(s.text, lambda _: "+"),
    "removed": lambda s: _lines(s.text, lambda _: "-"),
    "numbered": lambda s: _lines(s.text, lambda n: f"{n} | "),
    "numberedWide": lambda s: _lines(s.text, lambda n: f"{n:6}\u2192"),
    "numberedJson": lambda s: _json(_lines(s.text, lambda n: f"{n} | "), 1),
    "zeroWidth": _hidden,
    "broken": lambda s: _broken(s, "\n"),
    "brokenEscaped": lambda s: _json(_broken(s, "\n"), 1),
    "brokenConsole": lambda s: _broken(s, " (index):658\n"),
    "entities": lambda s: (
        s.text.replace('"', "&quot;").replace("&", "&amp;")
        if "&" in s.text
        else s.text.replace('"', "&quot;")
    ),
}


def leaks(sample: Sample, redacted: str) -> bool:
    """Tell whether eight characters of a secret in a row, or all of a shorter one, are still there."""
    plain = re.sub(r"\[redacted: \w+\]|[\u200b\s]|\\+n|\(index\):658", "", redacted)
    return any(
        piece in plain
        for secret in ("".join(secret.split()) for secret in sample.secrets)
        for piece in {secret[at : at + 8] for at in range(max(1, len(secret) - 7))}
    )
