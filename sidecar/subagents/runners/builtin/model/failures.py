"""Explain failures of a model or its server to the user."""

import re
from collections.abc import Mapping

from pydantic_ai.exceptions import (
    AgentRunError,
    ModelAPIError,
    ModelAuthenticationError,
    ModelConnectionError,
    ModelContextWindowExceededError,
    ModelHTTPError,
    ModelNotFoundError,
    ModelQuotaExceededError,
    ModelRateLimitError,
    ModelRequestTimeout,
    ModelServerError,
    ModelUnavailableError,
)

from sidecar.api.runs.async_tasks import ErrorKind

_KINDS: tuple[tuple[type[ModelAPIError], ErrorKind], ...] = (
    (ModelAuthenticationError, "auth"),
    (ModelRateLimitError, "rateLimit"),
    (ModelQuotaExceededError, "rateLimit"),
    (ModelContextWindowExceededError, "contextLength"),
    (ModelNotFoundError, "modelNotFound"),
    (ModelUnavailableError, "overloaded"),
    (ModelServerError, "overloaded"),
    (ModelConnectionError, "network"),
    (ModelRequestTimeout, "network"),
)
_REMEDIES: Mapping[ErrorKind, str] = {
    "auth": "check the key, and what its account may use",
    "rateLimit": "try again later, or check the limits of the account",
    "overloaded": "try again later",
    "network": "check the network and SIDECAR_AGENT_BASE_URL, and try again",
    "contextLength": "give it a smaller task, or a model with a larger context window",
    "modelNotFound": "check the name of the model and SIDECAR_AGENT_BASE_URL",
}
_TOO_LONG = re.compile(
    r"context[ _](?:length|window|limit|size)|maximum (?:context|prompt length)|(?:prompt|input) is too long"
    r"|token count|too many tokens|length of the messages|range of input length"
    r"|tokens \+ `?max_(?:new_)?tokens",
    re.IGNORECASE,
)
"""How servers describe a request that is too long, if they send no code for it."""
_TOO_LARGE = 413
_LIMITS = (
    re.compile(r"maximum context length (?:is|of) ([\d,]+)", re.IGNORECASE),
    re.compile(r"tokens > ([\d,]+) maximum", re.IGNORECASE),
    re.compile(r"context limit: [\d,]+ \+ [\d,]+ > ([\d,]+)", re.IGNORECASE),
    re.compile(r"context size \(([\d,]+) tokens", re.IGNORECASE),
    re.compile(r"tokens allowed \(([\d,]+)\)", re.IGNORECASE),
    re.compile(r"context (?:length|window|size) of (?:only )?([\d,]+)", re.IGNORECASE),
    re.compile(r"maximum prompt length is ([\d,]+)", re.IGNORECASE),
    re.compile(r"input length should be \[\d+, ?(\d+)", re.IGNORECASE),
    re.compile(r"token count of [\d,]+ exceeds the limit of ([\d,]+)", re.IGNORECASE),
    re.compile(r"max_(?:new_)?tokens`? must be <= ([\d,]+)", re.IGNORECASE),
    re.compile(r"with ([\d,]+) maximum context length", re.IGNORECASE),
)
"""How OpenAI and vLLM, Anthropic (twice), llama.cpp, Gemini, LM Studio, xAI, Qwen, Copilot, TGI and Mistral
state the limit."""
_INVALID_CALLS = re.compile(r"Tool ('.{1,200}') exceeded max retries count of (\d+)")
"""How the library says that a model repeats an invalid call."""
_TEXT_CHARS = 2_000


class ModelFailure(Exception):
    """The model could not be reached, or its answer cannot be used. The text quotes its server.

    `status` is the HTTP status code, if there was one. `retry_after_seconds` is how long the server asks to
    wait.
    """

    def __init__(
        self, kind: ErrorKind, status: int | None, text: str, retry_after_seconds: float | None = None
    ) -> None:
        super().__init__(text)
        self.kind = kind
        self.status = status
        self.retry_after_seconds = retry_after_seconds


def failure_of(error: AgentRunError) -> ModelFailure:
    """Convert an error of the library."""
    kind, status = kind_of(error), status_of(error)
    remedy = _REMEDIES.get(kind)
    text = f"{cause_of(error)}{f'; {remedy}' if remedy else ''}"
    return ModelFailure(kind, status, text, wait_of(error))


def kind_of(error: Exception) -> ErrorKind:
    """Return the kind of an error. An incomplete or damaged answer counts as `network`."""
    if is_too_long(error):
        return "contextLength"
    for category, kind in _KINDS:
        if isinstance(error, category):
            return kind
    is_damaged = isinstance(error, ModelAPIError) and status_of(error) is None and not error.in_stream
    return "network" if is_damaged else "other"


def status_of(error: Exception) -> int | None:
    """Return the HTTP status code of an error, if it has one."""
    return error.status_code if isinstance(error, ModelHTTPError) else None


def wait_of(error: Exception) -> float | None:
    """Return the seconds that a server asks to wait, from its headers or its answer; None if it does not."""
    return error.retry_after if isinstance(error, ModelAPIError) else None


def cause_of(error: Exception) -> str:
    """Describe an error, with the status code and the server's message."""
    status = status_of(error)
    if status is not None:
        return f"the model's server answered with status {status}: {_words(error)}"
    if isinstance(error, ModelConnectionError):
        return f"the connection to the model's server failed: {_words(error)}"
    if calls := _INVALID_CALLS.match(str(error)):
        return f"the model called the tool {calls[1]} with invalid arguments {int(calls[2]) + 1} times"
    return f"the answer of the model cannot be used: {_words(error)}"


def is_too_long(error: Exception) -> bool:
    """Return whether a server refused a request because it exceeds the model's context window."""
    if isinstance(error, ModelContextWindowExceededError):
        return True
    status = status_of(error)
    return status == _TOO_LARGE or (status in (400, 422) and _TOO_LONG.search(_words(error)) is not None)


def limit_of(error: Exception) -> int | None:
    """Return the context window, in tokens, that a server states in its refusal."""
    words = _words(error)
    found = next((match for limit in _LIMITS if (match := limit.search(words))), None)
    return None if found is None else int(found[1].replace(",", ""))


def _words(error: Exception) -> str:
    body = error.body if isinstance(error, ModelAPIError) else None
    return (_message(body) or str(error) or type(error).__name__)[:_TEXT_CHARS]


def _message(body: object) -> str | None:
    """Return the message in the body of an error, or in the body's member `error`."""
    if isinstance(body, Mapping):
        message = body.get("message")
        return message if isinstance(message, str) else _message(body.get("error"))
    return body if isinstance(body, str) else None
