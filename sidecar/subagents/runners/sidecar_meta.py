"""What the built-in agent and its client tell each other beside the protocol, in `_meta.sidecar`.

- `session/prompt`: `lastTurn: true`, to be answered in words, with two requests to the model at most
- `usage_update`: `usage {inputTokens, outputTokens, cachedReadTokens, cachedWriteTokens}` of the session
- `session_info_update`: `retrying {attempt, status?, text}` while a request to the model is repeated, and
  `notice {text}` for what a reader of the log may want to know

The error of a prompt holds `{errorKind, status?}` as its `data`.
"""

from collections.abc import Iterator, Mapping
from typing import Any

NAME = "sidecar"

_TOKENS = {
    "inputTokens": "inputTokens",
    "outputTokens": "outputTokens",
    "cachedReadTokens": "cacheReads",
    "cachedWriteTokens": "cacheWrites",
}


def in_meta(member: str, value: Any) -> dict[str, Any]:
    """Return the `_meta` that holds one member of ours."""
    return {NAME: {member: value}}


def of(message: Mapping[str, Any], member: str) -> Mapping[str, Any]:
    """Return one of our members of a message's `_meta`; empty if it is not there."""
    found: Any = message
    for name in ("_meta", NAME, member):
        found = found.get(name) if isinstance(found, Mapping) else None
    return found if isinstance(found, Mapping) else {}


def is_last_turn(meta: Mapping[str, Any]) -> bool:
    """Return whether the `_meta` of a prompt marks it as the last."""
    ours = meta.get(NAME)
    return isinstance(ours, Mapping) and ours.get("lastTurn") is True


def usage_of(update: Mapping[str, Any]) -> dict[str, int]:
    """Return the cumulative tokens in an update, named as in a `usage` event."""
    usage = of(update, "usage")
    return {ours: usage[theirs] for theirs, ours in _TOKENS.items() if isinstance(usage.get(theirs), int)}


def logged(update: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the `log` event of a notice, and of a request that is being repeated."""
    for member in ("notice", "retrying"):
        text = of(update, member).get("text")
        if isinstance(text, str):
            event = {"type": "log", "stream": "agent", "text": f"{text}\n"}
            yield event if member == "notice" else {**event, "retrying": dict(of(update, member))}
