"""Surroundings in which transcripts hold a text: escapes, colors, diffs, line numbers, URLs, broken lines."""

import json
import re
from collections.abc import Callable
from functools import partial
from typing import Final
from urllib.parse import quote

from tests.history.export.secret_formats import Sample

_ESC: Final = "\x1b"
_ENTITIES: Final = {
    "_": "&lowbar;",
    "-": "&hyphen;",
    ".": "&period;",
    "=": "&equals;",
    "+": "&plus;",
    "/": "&sol;",
    ":": "&colon;",
    '"': "&quot;",
    "$": "&dollar;",
}


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


def _boxed(sample: Sample, frame: str, parts: int = 2) -> str:
    """Draw a box around the text, whose lines are as long as a piece of the longest secret."""
    secret = max(sample.secrets, key=len)
    size = max(6, -(-len(secret) // parts))
    pieces = [secret[at : at + size] for at in range(0, len(secret), size)]
    lines = sample.text.replace(secret, "\n".join(pieces)).split("\n")
    width = max(map(len, lines))
    return "\n".join(f"{frame} {line:{width}} {frame}" for line in lines)


def _wrapped(text: str, width: int, column: int, indent: str) -> str:
    """Wrap each line at a width; the first begins at a column, what continues on the next is indented."""
    lines = (" " * column + text).split("\n")
    size = width - len(indent)
    return "\n".join(
        f"\n{indent}".join([line[:width], *(line[at : at + size] for at in range(width, len(line), size))])
        for line in lines
    )


def _each(spelled: Callable[[str], str]) -> Callable[[Sample], str]:
    """Spell each character that is neither a letter, a digit nor a blank in another way."""
    return lambda s: "".join(char if char.isalnum() or char.isspace() else spelled(char) for char in s.text)


def _glued(sample: Sample, word: str) -> str:
    text = sample.text
    for secret in sample.secrets:
        text = text.replace(secret, word + secret)
    return text


def _entity(char: str) -> str:
    return _ENTITIES.get(char, f"&#{ord(char)};")


def _margin(sample: Sample, prefix: Callable[[int], str]) -> str:
    return _lines(_broken(sample, "\n"), prefix)


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
    "brokenReturn": lambda s: _broken(s, "\r\n"),
    "brokenIndented": lambda s: _broken(s, "\n    "),
    "shellContinuation": lambda s: _broken(s, "\\\n"),
    "shellContinuationIndented": lambda s: _broken(s, "\\\n    "),
    "shellContinuationEscaped": lambda s: _json(_broken(s, "\\\n  "), 1),
    "powershellContinuation": lambda s: _broken(s, "`\n"),
    "quotedPrintable": lambda s: _broken(s, "=\r\n"),
    "concatenated": lambda s: _broken(s, '" +\n    "'),
    "concatenatedLiterals": lambda s: _broken(s, "'\n    '"),
    "boxed": lambda s: _boxed(s, "\u2502"),
    "boxedThree": lambda s: _boxed(s, "\u2502", 3),
    "boxedBar": lambda s: _boxed(s, "|"),
    "boxedHeavy": lambda s: _boxed(s, "\u2503"),
    "boxedDouble": lambda s: _boxed(s, "\u2551"),
    "boxedEscaped": lambda s: _json(_boxed(s, "\u2502"), 1),
    "boxedTwice": lambda s: _json(_json(_boxed(s, "\u2502"), 1), 1),
    "boxedColor": lambda s: _boxed(s, f"{_ESC}[2m\u2502{_ESC}[0m"),
    "boxedNested": lambda s: _boxed(s, "\u2502 \u2502"),
    "leftBar": lambda s: _margin(s, lambda _: "\u258c "),
    "brokenNumbered": lambda s: _margin(s, lambda n: f"{n + 8:3} | "),
    "brokenNumberedWide": lambda s: _margin(s, lambda n: f"{n + 98:6}\u2192"),
    "brokenNumberedTab": lambda s: _margin(s, lambda n: f"{n + 98:6}\t"),
    "brokenAdded": lambda s: _margin(s, lambda _: "+"),
    "brokenAddedApart": lambda s: _margin(s, lambda _: "+ "),
    "brokenRemoved": lambda s: _margin(s, lambda _: "-"),
    "brokenNumberedDiff": lambda s: _margin(s, lambda n: f"{n + 8:4} + "),
    "brokenNumberedDiffTwice": lambda s: _margin(s, lambda n: f"{n + 8:4} {n + 9:4} + "),
    "brokenQuoted": lambda s: _margin(s, lambda _: "> "),
    "brokenComment": lambda s: _margin(s, lambda _: "# "),
    "brokenDiffEscaped": lambda s: _json(_margin(s, lambda _: "+"), 1),
    "directionMark": lambda s: _broken(s, "\u202a"),
    "variationSelector": lambda s: _broken(s, "\ufe0f"),
    "characterSet": lambda s: _broken(s, f"{_ESC}(B{_ESC}[m"),
    "markdownEscapes": lambda s: s.text.replace("_", "\\_").replace("-", "\\-"),
    "parentheses": lambda s: f"f({s.text})",
    "terminalLink": lambda s: f"{_ESC}]8;;https://example.com/?{s.text}{_ESC}\\here{_ESC}]8;;{_ESC}\\",
    "wrappedIndented": lambda s: _wrapped(s.text, 80, 62, "    "),
    "wrappedIndentedFar": lambda s: _wrapped(s.text, 80, 44, " " * 40),
    "wrappedIndentedFarther": lambda s: _wrapped(s.text, 80, 64, " " * 40),
    "wrappedIndentedTab": lambda s: _wrapped(s.text, 80, 64, "\t"),
    "brokenPadded": lambda s: _broken(s, "   \n"),
    "concatenatedInLine": lambda s: _broken(s, '" + "'),
    "concatenatedTight": lambda s: _broken(s, "'+'"),
    "concatenatedDot": lambda s: _broken(s, "' . '"),
    "concatenatedAdjacent": lambda s: _broken(s, '" "'),
    "concatenatedEscaped": lambda s: _json(_broken(s, '" + "'), 1),
    "shellEmptyQuotes": lambda s: _broken(s, "''"),
    "wordBreakTag": lambda s: _broken(s, "<wbr>"),
    "lineBreakTag": lambda s: _broken(s, "<br />"),
    "tagsOfHighlighting": lambda s: _broken(s, '</span><span class="x">'),
    "emphasis": lambda s: _broken(s, "**"),
    "softHyphenEntity": lambda s: _broken(s, "&shy;"),
    "namedEntities": _each(_entity),
    "entitiesTwice": _each(lambda char: _entity(char).replace("&", "&amp;")),
    "bracedEscapes": _each(lambda char: f"\\u{{{ord(char):x}}}"),
    "longEscapes": _each(lambda char: f"\\U{ord(char):08x}"),
    "octalEscapes": _each(lambda char: f"\\{ord(char):03o}"),
    "percentFourfold": _each(lambda char: f"%252525{ord(char):02X}"),
    "escapedFiveTimes": lambda s: _json(f"a\n{s.text}\nb", 5),
    "controlSequence8Bit": lambda s: f"out\x9b32m{s.text}\x9b0mrest",
    "controlSequence8BitInside": lambda s: _broken(s, "\x9b1m"),
    "colorCaret": lambda s: f"^[[32m{s.text}^[[0m",
    "colorBare": lambda s: f"[32m{s.text}[0m",
    "windowTitle": lambda s: f"{_ESC}]0;{s.text}\x07",
    "lineSeparator": lambda s: _broken(s, "\u2028"),
    "nextLine": lambda s: _broken(s, "\x85"),
    "formFeed": lambda s: _broken(s, "\x0c"),
    "hardBlanks": lambda s: _broken(s, "\n\u00a0\u00a0"),
    "curlyQuotes": lambda s: f"\u201c{s.text}\u201d",
    "wideLetters": lambda s: "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in s.text),
    "tagCharacter": lambda s: _broken(s, "\U000e0020"),
    "boxedStars": lambda s: _boxed(s, "*"),
    "logged": lambda s: _lines(s.text, lambda n: f"2025-01-01T10:00:0{n}.123Z INFO [main] "),
    "blamed": lambda s: _lines(s.text, lambda n: f"^a1b2c3d (Jo Doe 2025-01-01 10:00:00 +0200 {n}) "),
    "gluedLetter": partial(_glued, word="x"),
    "gluedCapitals": partial(_glued, word="KEY"),
    "wrappedBullet": lambda s: "- " + _wrapped(s.text, 60, 30, "  "),
    "entities": lambda s: (
        s.text.replace('"', "&quot;").replace("&", "&amp;")
        if "&" in s.text
        else s.text.replace('"', "&quot;")
    ),
}


def leaks(sample: Sample, redacted: str) -> bool:
    """Return whether eight characters of a secret in a row, or all of a shorter one, are still there."""
    plain = re.sub(
        r"\[redacted: \w+\]|(?:\x1b|\^\[)?\[\d*m|\x9b\d+m|&shy;|</?(?:wbr|br|span)[^<>]{0,20}>|"
        r"[\u200b\u202a\ufe0f\U000e0020\x85\s\u2502\u2503\u2551|*]|\\+(?:n|u2502)|\(index\):658",
        "",
        "".join(chr(ord(char) - 0xFEE0) if "\uff01" <= char <= "\uff5e" else char for char in redacted),
    )
    unjoined = re.sub(r"""\\?["'][+.]?\\?["']|''""", "", plain)
    return any(
        piece in plain or piece in unjoined
        for secret in ("".join(secret.split()) for secret in sample.secrets)
        for piece in {secret[at : at + 8] for at in range(max(1, len(secret) - 7))}
    )
