"""Patterns in which `*` stands for any characters, matched in linear time and without expressions."""


def fits(text: str, pattern: str) -> bool:
    """Return whether the whole of `text` fits; no other character is special."""
    first, *others = pattern.split("*")
    if not others:
        return text == pattern
    *middle, last = others
    if len(text) < len(first) + len(last) or not (text.startswith(first) and text.endswith(last)):
        return False
    at, end = len(first), len(text) - len(last)
    for part in middle:  # the leftmost place leaves the most for the rest
        at = text.find(part, at, end)
        if at < 0:
            return False
        at += len(part)
    return True
