"""What the agent and its client exchange beside the protocol, in `_meta.sidecar`.

- `session/prompt`: `lastTurn: true`, to be answered in words, with two requests to the model at most
- `usage_update`: `usage {inputTokens, outputTokens, cachedReadTokens, cachedWriteTokens}` of the session
- `session_info_update`: `retrying {attempt, status?, text}` while a request to the model is repeated, and
  `notice {text}` for what a reader of the log may want to know

The error of a prompt holds `{errorKind, status?}` as its `data`.
"""

from collections.abc import Mapping
from typing import Any

_NAME = "sidecar"


def in_meta(member: str, value: Any) -> dict[str, Any]:
    """Return the `_meta` that holds one member of ours."""
    return {_NAME: {member: value}}


def is_last_turn(meta: Mapping[str, Any]) -> bool:
    """Return whether the `_meta` of a prompt marks it as the last."""
    ours = meta.get(_NAME)
    return isinstance(ours, Mapping) and ours.get("lastTurn") is True
