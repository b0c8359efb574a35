"""Distinguish possible secrets from the names, types and expressions that code assigns."""

import re
from typing import Final

_PLACEHOLDER: Final = re.compile(
    r"\$[A-Za-z_{(]|[{<]|\*{3}|%(?:\w+%|[sdr(])|\[redacted|~$|\.{3}|(?:x{3,}|none|null|nil|true|false|undefined|void|any|object|number|boolean|"
    r"str|string|bytes|int|float|bool|optional|unknown|never|todo|example|changeme|"
    r"required|missing|hidden|redacted|masked|empty|default|disabled|enabled|file|path|auto)s?$",
    re.IGNORECASE,
)
_NAME: Final = re.compile(r"[A-Za-z_]\w*(?:(?:\.|->|::|\?\.)[A-Za-z_]\w*)*")
_SPEECH: Final = re.compile(
    r"\b(?:enter|your|please|required|must|invalid|forgot|optional|the|is|are|not|for|of|to|and|or|a|an|in|with|no|"
    r"new|confirm|reset|change|show|hide|missing|wrong|incorrect|expired|error|failed|user|name)\b|"
    r"passwor[dt]|passphrase|passwd|secret|token|credential|\bkey\b",
    re.IGNORECASE,
)
_VERSION: Final = re.compile(r"[\^~<>=v]{0,3}[0-9]{1,6}(?:\.[0-9x*]{1,6}){1,3}")
_HUMP: Final = re.compile(r"[a-z][A-Z]|[A-Z][a-z]")


def password(value: str) -> bool:
    """Return whether a quoted value, perhaps of several words, can be a password rather than a sentence."""
    if len(value) < 4 or _PLACEHOLDER.match(value):
        return False
    return not _SPEECH.search(value) or (_has_digit(value) and " " not in value)


def plain_password(value: str) -> bool:
    """Return whether a bare word can be a password: letters alone do, in a file of settings."""
    is_attribute = "." in value and _NAME.fullmatch(value) is not None and not _has_digit(value)
    return len(value) >= 4 and not _PLACEHOLDER.match(value) and not is_attribute


def mixed_password(value: str) -> bool:
    """Return whether a bare word after the name of a password is one, in the middle of any text."""
    return _has_digit(value) and plain_password(value)


def bare_secret(value: str) -> bool:
    """Return whether a bare word of any place has what names and expressions of code lack."""
    return len(value) >= 6 and _has_digit(value) and not _PLACEHOLDER.match(value) and not _named(value)


def quoted_secret(value: str) -> bool:
    """Return whether a quoted word can be a secret: the words that name one cannot."""
    if len(value) < 6 or " " in value or _PLACEHOLDER.match(value) or _VERSION.fullmatch(value):
        return False
    if not value.isascii():
        return False
    if _has_digit(value):
        return not _named(value)
    return len(value) >= 10 and value.isalpha() and bool(_HUMP.search(value)) and not _SPEECH.search(value)


def typed_secret(value: str) -> bool:
    """Return whether a word alone on the line below a prompt can be the answer."""
    is_mixed = len(value) >= 8 and _HUMP.search(value) and value.isalnum() and not _SPEECH.search(value)
    return bare_secret(value) or (bool(is_mixed) and not _PLACEHOLDER.match(value))


def random_key(value: str) -> bool:
    """Return whether a value is long and mixed as only generated ones are."""
    return (
        len(value) >= 16
        and not _PLACEHOLDER.match(value)
        and sum(char.isdigit() for char in value) >= 3
        and not _named(value)
    )


def credential(value: str) -> bool:
    """Return whether the value after the scheme of a header can be a credential."""
    return not _PLACEHOLDER.match(value) and (_has_digit(value) or len(value) >= 18 or value.endswith("="))


def given(value: str) -> bool:
    """Return whether a value given to an option is one, not a variable or the name of another option."""
    return len(value) >= 4 and not value.startswith("-") and not _PLACEHOLDER.match(value)


def _has_digit(value: str) -> bool:
    return any(char.isdigit() for char in value)


def _named(value: str) -> bool:
    """Return whether a value is a name such as `token2` or `self.key_1`: few digits, in one place."""
    if not _NAME.fullmatch(value):
        return False
    longest = max(re.split(r"\W+", value), key=len)
    groups = re.findall(r"[0-9]+", value)
    return len(groups) <= 1 and len(longest) - len("".join(groups)) <= 24 and len("".join(groups)) <= 3
