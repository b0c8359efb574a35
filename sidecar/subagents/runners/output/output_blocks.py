"""Outputs in what an agent says: fenced blocks marked `outputs` with a JSON object, found as they stream.

The protocol between editors and agents has no word for a variable, so an agent is asked to write them so.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from sidecar.subagents.runners.output.text import load_line

BLOCK_CHARS = 1024 * 1024
"""A longer block is taken for text: it cannot be held back until its end is known."""

_OPENING = re.compile(r" {0,3}(`{3,})[ \t]*outputs[ \t]*\r?\n?", re.IGNORECASE)
_CLOSING = re.compile(r" {0,3}(`{3,})[ \t]*\r?\n?")
_LINE_CHARS = 64


class OutputBlocks:
    """An incremental parser: yields text as it was written, and the object of each block in its place."""

    def __init__(self) -> None:
        self._line = ""
        self._passing = False
        self._block: list[str] = []
        self._size = 0

    def feed(self, text: str) -> Iterator[str | dict[str, Any]]:
        """Take a piece of a message, in any cut."""
        for part in text.splitlines(keepends=True):
            yield from self._part(part)

    def finish(self) -> Iterator[str | dict[str, Any]]:
        """Take the end of the message; the closing line of a block may lack its newline."""
        line, self._line = self._line, ""
        if line:
            yield from self._complete(line)
        yield from self._give_up()
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
                yield from self._give_up()
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
            found = load_line("".join(self._block[1:-1]).encode())
            if isinstance(found, dict) and found:
                self._block.clear()
                self._size = 0
                yield found
            else:
                yield from self._give_up()
        elif self._size > BLOCK_CHARS:
            yield from self._give_up()

    def _hold(self, line: str) -> None:
        self._block.append(line)
        self._size += len(line)

    def _give_up(self) -> Iterator[str]:
        """Yield what was held back as the text that it is."""
        held, self._line = "".join(self._block) + self._line, ""
        self._block.clear()
        self._size = 0
        if held:
            self._passing = not held.endswith("\n")
            yield held


def request(outputs: Mapping[str, str]) -> str:
    """Return what asks an agent for its outputs. The example is no JSON: repeated, it is no output."""
    described = "".join(f"\n- {name}: {' '.join(text.split())}" for name, text in outputs.items())
    return f"When you are done, hand over these outputs:{described}\n{_how(outputs)}"


def reminder(missing: Iterable[str]) -> str:
    """Return what asks an agent that has ended its turn for the outputs it has not given."""
    names = list(missing)
    return f"These outputs are still missing: {', '.join(names)}. Hand them over now.\n{_how(names)}"


def _how(names: Iterable[str]) -> str:
    members = ", ".join(f'"{name}": ...' for name in names)
    return (
        "Write them as one JSON object in a fenced block that is marked with the word outputs, like this:\n\n"
        f"```outputs\n{{{members}}}\n```"
    )


def _may_open(line: str) -> bool:
    """Tell whether an unfinished line can still become the opening of a block."""
    body = line.lstrip(" ")
    word = body.lstrip("`").strip(" \t\r").lower()
    return len(line) <= _LINE_CHARS and "outputs".startswith(word) and (body.startswith("`") or not body)
