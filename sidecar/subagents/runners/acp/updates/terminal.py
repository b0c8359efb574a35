"""Collect the command output that agents send in the `_meta` of tool calls for clients with terminals.

The members are Zed's `terminal_output` and `terminal_exit`, and codex's `terminal_output_delta`
(codex-acp 2.6).
"""

from collections.abc import Mapping
from typing import Any

from sidecar.subagents.runners.output.text import Tail

OUTPUT_CHARS = 64 * 1024
"""The size of the tail of a call's output that is kept."""
_CHUNKS = ("terminal_output_delta", "terminal_output")


class TerminalOutput:
    """The output of a tool call's commands and the exit status of the last command."""

    def __init__(self) -> None:
        self._tail = Tail(OUTPUT_CHARS)
        self._chars = 0
        self._shown = 0
        self._exit: dict[str, Any] = {}

    def take(self, update: Mapping[str, Any]) -> dict[str, Any]:
        """Return the members to display: `content` with the output, `output` with the exit status.

        Returns growing output each time its size has doubled, and at the end of the command or call.
        """
        meta = update.get("_meta")
        if not isinstance(meta, Mapping):
            meta = {}
        for name in _CHUNKS:
            data = _mapping(meta, name).get("data")
            if isinstance(data, str):
                self._tail.add(data)
                self._chars += len(data)
        ended = _mapping(meta, "terminal_exit")
        self._exit |= {key: ended[key] for key in ("exit_code", "signal") if ended.get(key) is not None}
        is_over = bool(ended) or update.get("status") in ("completed", "failed")
        if self._chars == self._shown or not (is_over or self._chars >= 2 * self._shown):
            return {"output": dict(self._exit)} if ended and self._exit else {}
        self._shown = self._chars
        text = {"content": [{"type": "text", "text": self._text()}]}
        return {**text, "output": dict(self._exit)} if self._exit else text

    def _text(self) -> str:
        cut = self._chars - len(self._tail.text)
        return f"[cut: the first {cut:,} characters]\n{self._tail.text}" if cut else self._tail.text


def _mapping(value: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = value.get(name)
    return found if isinstance(found, Mapping) else {}
