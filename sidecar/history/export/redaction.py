"""Takes secrets and home directories out of a text and counts what it took.

Every pattern runs in linear time: repeats are bounded or possessive and none can start inside another's
match. What is taken out is replaced by `[redacted: KIND]`, a home directory by `~`. A redactor finds what
looks like a secret; it cannot know a password that looks like a word.
"""

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from sidecar.api.insight import Redaction

_EDGE: Final = r"(?<![A-Za-z0-9_-])"
_ASSIGNED: Final = (
    r"(?i:((?:password|passwd|secret|token|api[_-]?key|access[_-]?key|private[_-]?key)\w{0,20}"
    r"\\?[\"']?[ ]{0,3}(?:=>|:|=)[ ]{0,3}))"
)
"""The name of a secret and what stands between it and its value, in code, JSON and shells."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """One kind of secret; one of `marks` is in every lower-cased text that holds it."""

    kind: str
    marks: tuple[str, ...]
    regex: re.Pattern[str]
    replacement: str


def _pattern(kind: str, marks: tuple[str, ...], regex: str, replacement: str | None = None) -> Pattern:
    return Pattern(kind, marks, re.compile(regex), replacement or f"[redacted: {kind}]")


PATTERNS: Final = (
    _pattern(
        "privateKey",
        ("-----begin",),
        r"-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----(?:[\sA-Za-z0-9+/=\\:,]|-(?!----)){0,20000}+"
        r"-----END [A-Z ]{0,30}-----",
    ),
    _pattern("jwt", ("eyj",), _EDGE + r"eyJ[\w-]{8,4000}+\.[\w-]{8,8000}+\.[\w-]{8,4000}+"),
    _pattern("anthropicKey", ("sk-ant-",), _EDGE + r"sk-ant-[\w-]{16,300}+"),
    _pattern("openaiKey", ("sk-",), _EDGE + r"sk-[A-Za-z0-9][\w-]{18,300}+"),
    _pattern("githubToken", ("gh",), _EDGE + r"(?:gh[pousr]_[A-Za-z0-9]{20,255}+|github_pat_\w{20,255}+)"),
    _pattern("gitlabToken", ("glpat-",), _EDGE + r"glpat-[\w-]{18,100}+"),
    _pattern("slackToken", ("xox",), _EDGE + r"xox[abeoprs]-[\w-]{10,250}+"),
    _pattern("awsKey", ("akia", "asia"), _EDGE + r"(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Z0-9])"),
    _pattern("googleKey", ("aiza",), _EDGE + r"AIza[\w-]{35}(?![\w-])"),
    _pattern("stripeKey", ("k_live_", "k_test_"), _EDGE + r"[sr]k_(?:live|test)_[A-Za-z0-9]{16,200}+"),
    _pattern("npmToken", ("npm_",), _EDGE + r"npm_[A-Za-z0-9]{30,100}+"),
    _pattern("pypiToken", ("pypi-",), _EDGE + r"pypi-[\w-]{50,300}+"),
    _pattern("huggingFaceToken", ("hf_",), _EDGE + r"hf_[A-Za-z0-9]{30,100}+"),
    _pattern("sendgridKey", ("sg.",), _EDGE + r"SG\.[\w-]{16,64}+\.[\w-]{16,64}+"),
    _pattern(
        "azureKey",
        ("accountkey=", "sharedaccesskey="),
        r"(?i:(AccountKey|SharedAccessKey)=)[A-Za-z0-9+/=]{30,200}+",
        r"\1=[redacted: azureKey]",
    ),
    _pattern(
        "urlPassword",
        ("://",),
        r"(?<![A-Za-z0-9+.-])([A-Za-z][A-Za-z0-9+.-]{1,20}://[^\s/:@\"'\\]{0,100}):[^\s/@\"'\\]{1,200}@",
        r"\1:[redacted: urlPassword]@",
    ),
    _pattern(
        "bearerToken",
        ("bearer ", "basic "),
        r"(?i:\b(bearer|basic))[ ]{1,3}(?=[\w.~+/=-]{0,40}[0-9])[\w.~+/=-]{16,4000}+",
        r"\1 [redacted: bearerToken]",
    ),
    _pattern(
        "cookie",
        ("cookie",),
        r"(?i:\b((?:set-)?cookie\\?[\"']?[ ]{0,3}:[ ]{0,3}\\?[\"']?))[\w.-]{1,60}=[^\s;\"'\\]{1,4000}+"
        r"(?:;[ ]?[\w.-]{1,60}=[^\s;\"'\\]{1,4000}+){0,50}+",
        r"\1[redacted: cookie]",
    ),
    _pattern(
        "assignedSecret",
        ("pass", "secret", "token", "key"),
        rf"{_ASSIGNED}(\\?[\"'])(?!\[redacted)[^\s\"'\\]{{6,500}}+(?=\\?[\"'])",
        r"\1\2[redacted: assignedSecret]",
    ),
    _pattern(
        "assignedSecret",
        ("pass", "secret", "token", "key"),
        rf"{_ASSIGNED}(?!\[redacted)(?=[^\s\"'\\,;]{{0,80}}[0-9])[^\s\"'\\,;{{}}()<>]{{8,500}}+",
        r"\1[redacted: assignedSecret]",
    ),
)
"""In this order: a token of a known form is named before the general rules see it."""
_ANY_MARK: Final = re.compile("|".join(sorted({re.escape(mark) for each in PATTERNS for mark in each.marks})))

_SLASH: Final = r"(?:\\\\|\\|/)"
_HOMES: Final = re.compile(
    rf"(?:(?<![\w.~-])(?:/home/|/Users/|/mnt/[a-z]/Users/|/[a-z]/Users/|[A-Za-z](?::|%3[Aa]){_SLASH}Users{_SLASH})"
    rf"|{_SLASH}{{2}}wsl(?:\.localhost|\$){_SLASH}[\w.-]{{1,40}}{_SLASH}home{_SLASH})"
    r"(?!Shared\b)[^\s/\\\"'<>|:*?,;()\[\]{}]{1,64}+"
    # A name of several words goes on with capitals, perhaps after a "van", and ends at a slash.
    r"(?:(?:(?:[ ][a-z]{1,3})?[ ][^\W\d_a-z][\w.-]{0,40}+){1,3}+(?=[/\\]))?+"
    r"|(?<![\w.~/-])/root(?![\w.-])"
)
_HOME_MARKS: Final = ("/home/", "users", "wsl", "/root")
HOME: Final = "homeDirectory"


class Redactor:
    """Redacts texts and keeps count over all of them; `home` is a home directory of no common form."""

    def __init__(self, home: str | None = None) -> None:
        self._counts: Counter[str] = Counter()
        self._home = re.compile(rf"{re.escape(home)}(?![\w.-])") if home and len(home) > 2 else None

    @property
    def report(self) -> list[Redaction]:
        """How often each kind was replaced, the most frequent first."""
        return [Redaction(kind=kind, count=count) for kind, count in self._counts.most_common()]

    def text(self, text: str) -> str:
        """Redact one text."""
        lowered = text.lower()
        for pattern in PATTERNS if _ANY_MARK.search(lowered) else ():
            if not any(mark in lowered for mark in pattern.marks):
                continue
            text = self._replaced(pattern.kind, pattern.regex, pattern.replacement, text)
        if self._home is not None:
            text = self._replaced(HOME, self._home, "~", text)
        if not any(mark in lowered for mark in _HOME_MARKS):
            return text
        return self._replaced(HOME, _HOMES, "~", text)

    def value(self, value: Any) -> Any:
        """Redact every text in plain data, member names excepted."""
        return mapped_texts(value, self.text)

    def _replaced(self, kind: str, regex: re.Pattern[str], replacement: str, text: str) -> str:
        text, count = regex.subn(replacement, text)
        if count:
            self._counts[kind] += count
        return text


def mapped_texts(value: Any, change: Callable[[str], str]) -> Any:
    """Apply `change` to every text in plain data of our own making, whose depth is known."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, list):
        return [mapped_texts(item, change) for item in value]
    if isinstance(value, dict):
        return {key: mapped_texts(item, change) for key, item in value.items()}
    return value
