"""Take one change back out of a text that was edited elsewhere since; pure."""


def undone(text: str, old: str, new: str) -> str | None:
    """Return a text without the change from `old` to `new`; None unless it holds the change exactly once."""
    if text == new:
        return old
    start = _common_start(old, new)
    end = _common_start(old[start:][::-1], new[start:][::-1])
    added, removed = new[start : len(new) - end], old[start : len(old) - end]
    head, _, tail = text.partition(added)
    if not added or text.count(added) != 1:
        return None
    head += removed
    return head + _line_break(head, added, tail) + tail if end == 0 else head + tail


def _line_break(head: str, added: str, tail: str) -> str:
    """Return the line break that must separate a last line without one from what was added below it."""
    is_apart = head.endswith("\n") or not head or not tail or tail.startswith(("\n", "\r\n"))
    return "" if is_apart else "\r\n" if added.endswith("\r\n") else "\n"


def _common_start(one: str, other: str) -> int:
    """Return how many characters two texts have in common at the start; fast for long ones."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
