"""Collect the outputs of a run within a size limit, and find them in an agent's messages.

The Agent Client Protocol has no message for variables, so the prompt asks the agent to write fenced blocks
marked `outputs` that contain a JSON object; see `output_prompts`.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from sidecar.subagents.fold.variables import EMITTED_BYTES, Variables
from sidecar.subagents.runners.output.text import load_value

BLOCK_CHARS = 1024 * 1024
"""A longer block counts as text, because the parser cannot buffer it until its end."""

_OPENING = re.compile(r" {0,3}(`{3,})[ \t]*outputs[ \t]*\r?\n?", re.IGNORECASE)
_CLOSING = re.compile(r" {0,3}(`{3,})[ \t]*\r?\n?")
_LINE_CHARS = 64
_TOO_LONG = f"it has more than {BLOCK_CHARS:,} characters"
_UNREADABLE = "it is not a JSON object, or is nested too deep"
_UNENDED = "it has no closing line"


class OutputBlocks:
    """An incremental parser: yield text unchanged, and the object of each block in place of the block."""

    def __init__(self) -> None:
        self.problem: str | None = None
        """Why the last block counts as text; None if it was read."""
        self._line = ""
        self._passing = False
        self._block: list[str] = []
        self._size = 0

    def feed(self, text: str) -> Iterator[str | dict[str, Any]]:
        """Take a piece of a message, split anywhere."""
        for part in text.splitlines(keepends=True):
            yield from self._part(part)

    def finish(self) -> Iterator[str | dict[str, Any]]:
        """End the message. The closing line of a block may lack its newline."""
        line, self._line = self._line, ""
        if line:
            yield from self._complete(line)
        yield from self._give_up(_UNENDED)
        self._passing = False

    def _part(self, part: str) -> Iterator[str | dict[str, Any]]:
        ends = part.endswith("\n")
        if self._passing:
            self._passing = not ends
            yield part
            return
        self._line += part
        if not ends and (self._block or _may_open(self._line)):
            if self._size + len(self._line) > BLOCK_CHARS:
                yield from self._give_up(_TOO_LONG)
            return
        line, self._line = self._line, ""
        if ends:
            yield from self._complete(line)
        else:
            self._passing = True
            yield line

    def _complete(self, line: str) -> Iterator[str | dict[str, Any]]:
        if not self._block:
            if _OPENING.fullmatch(line):
                self._hold(line)
            else:
                yield line
            return
        self._hold(line)
        closing, opening = _CLOSING.fullmatch(line), _OPENING.fullmatch(self._block[0])
        if closing and opening and len(closing[1]) >= len(opening[1]):
            found = load_value("".join(self._block[1:-1]).encode())
            if isinstance(found, dict) and found:
                self._block.clear()
                self._size = 0
                self.problem = None
                yield found
            else:
                yield from self._give_up(_UNREADABLE)
        elif self._size > BLOCK_CHARS:
            yield from self._give_up(_TOO_LONG)

    def _hold(self, line: str) -> None:
        self._block.append(line)
        self._size += len(line)

    def _give_up(self, why: str) -> Iterator[str]:
        """Yield the buffered text unchanged."""
        if self._block:
            self.problem = why
        held, self._line = "".join(self._block) + self._line, ""
        self._block.clear()
        self._size = 0
        if held:
            self._passing = not held.endswith("\n")
            yield held


def _may_open(line: str) -> bool:
    """Return whether an incomplete line can still become the opening of a block."""
    body = line.lstrip(" ")
    word = body.lstrip("`").strip(" \t\r").lower()
    return len(line) <= _LINE_CHARS and "outputs".startswith(word) and (body.startswith("`") or not body)


_NAME_CHARS = 100


class EmittedVars:
    """The variables of a result: names and their latest values, within a limit."""

    def __init__(self) -> None:
        self._variables = Variables()
        self._is_cut = False

    @property
    def values(self) -> Mapping[str, Any]:
        """The latest value of each variable."""
        return self._variables.values

    @property
    def left_out(self) -> Mapping[str, int]:
        """The bytes of values that do not fit, by name."""
        return self._variables.left_out

    def keep(self, name: str, value: Any) -> Iterator[dict[str, Any]]:
        """Keep a variable; yield a `log` event for the first one that does not fit."""
        if self._variables.keep(name, value) or self._is_cut:
            return
        self._is_cut = True
        text = (
            f"variable {name[:_NAME_CHARS]!r} is left out of the result, and so is each later one that "
            f"does not fit: together they exceed {EMITTED_BYTES:,} bytes. "
            "The events of the run contain them all.\n"
        )
        yield {"type": "log", "stream": "stderr", "text": text}
