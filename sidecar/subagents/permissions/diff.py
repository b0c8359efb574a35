"""Create a unified diff in bounded time, because an agent may report a change of any size."""

from collections import Counter
from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher
from itertools import takewhile

from sidecar.subagents.permissions.question import FileChange
from sidecar.subagents.permissions.shortening import DIFF_CHARS, cut_middle

_CONTEXT = 3
_COMPARED_LINES = 2_000
_COMPARED_PAIRS = 20_000
"""The limit for pairs of equal lines. Beyond either limit, the diff has all old lines, then all new ones."""
_Line = tuple[str, str]
"""A mark (space, - or +) and the text of the line."""


def unified(changes: Iterable[FileChange]) -> str | None:
    """Return the diff of all files without its middle if it is too long; None if nothing changes."""
    lines = [line for change in changes for line in _file(change)]
    return cut_middle("\n".join(lines), DIFF_CHARS) if lines else None


def _file(change: FileChange) -> Iterator[str]:
    old = [] if change.old is None else _lines(change.old)
    new = _lines(change.new)
    if old == new:
        return
    yield "--- /dev/null" if change.old is None else f"--- a/{change.path}"
    yield f"+++ b/{change.path}"
    start = _common(old, new)
    end = _common(old[start:][::-1], new[start:][::-1])
    before, after = max(0, start - _CONTEXT), min(end, _CONTEXT)
    middle = list(_compared(old[start : len(old) - end], new[start : len(new) - end]))
    context = [(" ", line) for line in old[before:start]]
    rest = [(" ", line) for line in old[len(old) - end :][:after]]
    yield from _hunks([*context, *middle, *rest], before, before)


def _lines(text: str) -> list[str]:
    return text.removesuffix("\n").split("\n") if text else []


def _common(old: list[str], new: list[str]) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(old, new, strict=False)))


def _compared(old: list[str], new: list[str]) -> Iterator[_Line]:
    for tag, first, last, start, stop in _steps(old, new):
        if tag == "equal":
            yield from ((" ", line) for line in old[first:last])
        else:
            yield from (("-", line) for line in old[first:last])
            yield from (("+", line) for line in new[start:stop])


def _steps(old: list[str], new: list[str]) -> Iterable[tuple[str, int, int, int, int]]:
    counts = Counter(new)
    pairs = sum(counts[line] for line in old)
    if max(len(old), len(new)) > _COMPARED_LINES or pairs > _COMPARED_PAIRS:
        return [("replace", 0, len(old), 0, len(new))]
    return SequenceMatcher(None, old, new, autojunk=False).get_opcodes()


def _hunks(lines: list[_Line], old_at: int, new_at: int) -> Iterator[str]:
    """Yield hunks. Changes share a hunk if their contexts touch."""
    changed = [at for at, (mark, _) in enumerate(lines) if mark != " "]
    first = changed[0]
    for last, following in zip(changed, [*changed[1:], None], strict=True):
        if following is not None and following - last <= 2 * _CONTEXT + 1:
            continue
        start, stop = max(0, first - _CONTEXT), min(len(lines), last + _CONTEXT + 1)
        hunk, skipped = lines[start:stop], lines[:start]
        old_from, new_from = old_at + _count(skipped, "+"), new_at + _count(skipped, "-")
        yield f"@@ -{_range(old_from, _count(hunk, '+'))} +{_range(new_from, _count(hunk, '-'))} @@"
        yield from (mark + line for mark, line in hunk)
        first = following or first


def _count(lines: list[_Line], other_side: str) -> int:
    return sum(mark != other_side for mark, _ in lines)


def _range(lines_before: int, count: int) -> str:
    """Return the first line, counted from 1, and the number of lines; if 0, the line before."""
    return f"{lines_before + (count > 0)},{count}"
