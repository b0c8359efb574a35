"""Classify failures of a model or its server from an agent's error messages. Pure except for the clock."""

import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, get_args

from sidecar.api.runs.async_tasks import ErrorKind
from sidecar.subagents.runners.output.retry_after import retry_after

_KINDS: tuple[ErrorKind, ...] = get_args(ErrorKind)
_BY_STATUS: Mapping[int, ErrorKind] = {
    401: "auth",
    403: "auth",
    407: "auth",
    408: "network",
    413: "contextLength",
    429: "rateLimit",
}
_WORDS: tuple[tuple[ErrorKind, str], ...] = (
    (
        "contextLength",
        r"context[ _-]?(?:length|window|size|limit|overflow|exhausted)|maximum context|"
        r"(?:prompt|input|request) (?:is |was )?too (?:long|large)|too many (?:input )?tokens|"
        r"token count exceeds|exceeds the maximum number of tokens",
    ),
    (
        "modelNotFound",
        r"model[ _]not[ _]found|(?:unknown|invalid|no such|unsupported) model|"
        r"model\b[^\n]{0,80}(?:does not exist|not found|is not supported|is not available)",
    ),
    (
        "auth",
        r"authenticat|authori[sz]ation|unauthori[sz]ed|forbidden|permission_error|"
        r"api[ _-]?key|credentials|sign in|signed out|log ?in\b|logged (?:in|out)",
    ),
    (
        "rateLimit",
        r"rate[ _-]?limit|too many requests|quota(?!t)|resource[ _]exhausted|usage limit|"
        r"credit balance|billing",
    ),
    (
        "overloaded",
        r"overload|high demand|unavailable|internal server error|bad gateway|at capacity|"
        r"server[ _]error|try again later",
    ),
    (
        "network",
        r"\be(?:conn\w+|timedout|notfound|ai_again|pipe|hostunreach)\b|socket|connection|network|"
        r"fetch failed|timed? ?out|stream\b[^\n]{0,40}(?:disconnect|closed|ended|cut|reset)|"
        r"disconnected|premature|unexpected end|terminated|certificate|\btls\b|"
        r"(?:json|pars|decod)[^\n]{0,80}(?:error|fail|expected|unexpected)|in json at",
    ),
)
_BY_WORDS = tuple((kind, re.compile(words, re.IGNORECASE)) for kind, words in _WORDS)
_PHRASES = "|".join(re.escape(each.phrase) for each in HTTPStatus if each >= HTTPStatus.BAD_REQUEST)
_STATUS_IN_TEXT = re.compile(
    rf"(?:status(?:[ _]?code)?|http(?:/[\d.]+)?|error(?: code)?|\"code\")[\"' :=(]{{0,4}}([45]\d\d)\b"
    rf"|(?<!\d)([45]\d\d) (?:{_PHRASES})|^\W{{0,3}}([45]\d\d)\b",
    re.IGNORECASE,
)
_STATUS_MEMBERS = ("status", "statusCode", "httpStatusCode", "status_code")
_DEPTH = 4
_READ_CHARS = 4_000
"""How much of a text is searched, because a server may answer with a whole page."""


@dataclass(frozen=True)
class ModelError:
    """A failure of the model or its server. `text` contains the HTTP status code, if it is known.

    `retry_after_seconds` is how long the server asks to wait.
    """

    text: str
    kind: ErrorKind
    status: int | None = None
    retry_after_seconds: float | None = None


def error_kind(text: str, status: int | None = None) -> ErrorKind | None:
    """Return the kind of failure that a text and an HTTP status code indicate; None if neither does."""
    status = status_in(text) if status is None else status
    if status is not None and status in _BY_STATUS:
        return _BY_STATUS[status]
    if status is not None and status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        return "overloaded"
    found = next((kind for kind, words in _BY_WORDS if words.search(text[:_READ_CHARS])), None)
    return found or (None if status is None else "other")


def status_in(text: str) -> int | None:
    """Return the HTTP status code (400 to 599) that a text explicitly names."""
    found = _STATUS_IN_TEXT.search(text[:_READ_CHARS])
    return int(next(group for group in found.groups() if group)) if found else None


def status_of(data: Any, depth: int = _DEPTH) -> int | None:
    """Return the HTTP status code (400 to 599) in an error's data, up to four levels deep."""
    if not isinstance(data, Mapping) or depth == 0:
        return None
    named = (_status(data.get(name)) for name in _STATUS_MEMBERS)
    nested = (status_of(value, depth - 1) for value in data.values())
    return next((found for found in (*named, *nested) if found is not None), None)


def model_error(text: str, data: Any = None, code: int | None = None) -> ModelError | None:
    """Return the failure that an error's text, data and code describe; None if it is not the model's.

    Agents give `data.errorKind`, an HTTP status code somewhere in `data` or in `code`, or only text.
    """
    given = data.get("errorKind") if isinstance(data, Mapping) else None
    status = status_of(data) or status_in(text) or (None if _is_parser_error(text) else _status(code))
    kind = given if given in _KINDS else error_kind(text, status)
    if kind is None:
        return None
    return ModelError(with_status(text, status), kind, status, asked_wait(text, data))


def asked_wait(text: str, data: Any = None) -> float | None:
    """Return the seconds for which an error's text or data asks to wait from now; None if neither does."""
    return retry_after(text, data, time.time())


def with_status(text: str, status: int | None) -> str:
    """Append the status code to the text, unless the text contains it."""
    return text if status is None or str(status) in text else f"{text} (HTTP {status})"


def _status(value: Any) -> int | None:
    is_status = isinstance(value, int) and not isinstance(value, bool) and 400 <= value <= 599
    return value if is_status else None


def _is_parser_error(text: str) -> bool:
    """Return whether a parser wrote the text: some agents report a malformed stream with their own 500."""
    return bool(re.search(r"in JSON at|JSON Parse error", text[:_READ_CHARS]))
