"""Extend the protocol between the agent and its client with `_meta.sidecar`.

- `session/prompt`: `lastTurn: true` asks for an answer without tools, in at most two requests to the model
- `usage_update`: `usage {inputTokens, outputTokens, cachedReadTokens, cachedWriteTokens}` of the session
- `session_info_update`: `retrying {attempt, status?, text, retryAfterSeconds?}` while a request to the model
  is repeated, and `notice {text}` for the log

The `data` of a prompt's error is `{errorKind, status?, retryAfterSeconds?}`.
"""

from collections.abc import Mapping
from typing import Any

_NAME = "sidecar"


def in_meta(member: str, value: Any) -> dict[str, Any]:
    """Return a `_meta` with one member of this extension."""
    return {_NAME: {member: value}}


def is_last_turn(meta: Mapping[str, Any]) -> bool:
    """Return whether the `_meta` of a prompt marks it as the last."""
    ours = meta.get(_NAME)
    return isinstance(ours, Mapping) and ours.get("lastTurn") is True
