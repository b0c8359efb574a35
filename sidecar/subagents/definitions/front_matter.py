"""Parses Markdown with YAML front matter, line by line."""

import contextlib
import json
import re
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

from sidecar.subagents.definitions.model import Document, Malformed, Member

if TYPE_CHECKING:  # imported when a file is parsed: startup parses none
    import yaml

MAX_FRONT_MATTER = 16 << 10
"""In characters: hostile text can slow the YAML parser down, and a listing waits for it."""

_MAX_NODES = 1000
_MAX_DEPTH = 6
"""Bounds of a table in the front matter."""
_FENCE = re.compile(r"---[ \t]*")
_SEVERAL_WORDS = re.compile(r"([\w-]+:)[ \t]+([^\s\"'\[{|>]\S*[ \t].*)")
"""A top-level key followed by unquoted text that does not begin a list, a table or a block."""


def split_markdown(text: str) -> Document:
    """Parse a file that begins with front matter. Raises Malformed."""
    document = _split(text)
    if document is None:
        raise _missing()
    return document


def split_optional(text: str) -> Document:
    """Parse a file whose front matter may be missing. Raises Malformed."""
    return _split(text) or Document([], text)


def split_lenient(text: str) -> Document:
    """Parse a file whose values may be text that YAML requires in quotes. Raises Malformed.

    For example `description: Use it so: …`, which Claude Code writes and reads.
    """
    try:
        return split_markdown(text)
    except Malformed:
        lines = text.split("\n")
        end = _end_of_front_matter(lines)
        if end is None:
            raise
        with contextlib.suppress(Malformed):
            return split_markdown("\n".join([*map(_quoted, lines[:end]), *lines[end:]]))
        raise


def _split(text: str) -> Document | None:
    lines = text.split("\n")
    if not _FENCE.fullmatch(lines[0]):
        return None
    end = _end_of_front_matter(lines)
    if end is None:
        raise _missing()
    front_matter = "\n".join(lines[1:end])
    if len(front_matter) > MAX_FRONT_MATTER:
        raise Malformed(1, f"the front matter is larger than {MAX_FRONT_MATTER >> 10} KiB; shorten it")
    return Document(list(_members(front_matter)), "\n".join(lines[end + 1 :]))


def _end_of_front_matter(lines: list[str]) -> int | None:
    return next((n for n, line in enumerate(lines) if n > 0 and _FENCE.fullmatch(line)), None)


def _quoted(line: str) -> str:
    match = _SEVERAL_WORDS.fullmatch(line)
    return line if match is None else f"{match[1]} {json.dumps(match[2].rstrip())}"


def _missing() -> Malformed:
    return Malformed(1, "no front matter: begin the file with ---, its keys, and another ---")


def _members(front_matter: str) -> Iterator[Member]:
    import yaml

    # Composed, not loaded: nodes know their lines, and aliases are not multiplied.
    try:
        loader = yaml.SafeLoader(front_matter)
        root = loader.get_single_node()
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = mark.line + 2 if mark else None
        raise Malformed(line, f"not YAML: {getattr(error, 'problem', None) or error}") from None
    except (RecursionError, ValueError):
        raise Malformed(None, "unreadable YAML: nested too deeply, or a malformed value") from None
    if root is None:
        return
    if not isinstance(root, yaml.MappingNode):
        raise Malformed(root.start_mark.line + 2, "the front matter is not a list of `key: value` lines")
    for key, node in root.value:
        name = key.value[:64] if isinstance(key, yaml.ScalarNode) else "(a list)"
        yield Member(name, key.start_mark.line + 2, partial(_value, loader, node))


def _value(loader: "yaml.SafeLoader", node: "yaml.Node") -> Any:
    import yaml

    if isinstance(node, yaml.MappingNode):
        return _table(loader, node, iter(range(_MAX_NODES)))
    parts = node.value if isinstance(node, yaml.SequenceNode) else [node]
    if not all(isinstance(part, yaml.ScalarNode) for part in parts):
        raise ValueError("expected a plain value or a list of plain values")
    values = [_scalar(loader, part) for part in parts]
    return values if isinstance(node, yaml.SequenceNode) else values[0]


def _table(loader: "yaml.SafeLoader", node: "yaml.Node", left: Iterator[int], depth: int = 0) -> Any:
    """Return a nested value. `left` bounds its size, since aliases can multiply and repeat their nodes."""
    import yaml

    if next(left, None) is None or depth > _MAX_DEPTH:
        raise ValueError("is too large or nested too deeply; write it without aliases")
    if isinstance(node, yaml.ScalarNode):
        return _scalar(loader, node)
    if isinstance(node, yaml.SequenceNode):
        return [_table(loader, part, left, depth + 1) for part in node.value]
    if not all(isinstance(key, yaml.ScalarNode) for key, _ in node.value):
        raise ValueError("expected a table whose keys are plain values")
    return {key.value: _table(loader, part, left, depth + 1) for key, part in node.value}


def _scalar(loader: "yaml.SafeLoader", node: "yaml.Node") -> Any:
    import yaml

    try:
        return loader.construct_object(node)
    except (yaml.YAMLError, OverflowError) as error:
        raise ValueError("cannot be read as a YAML value; put it in quotes") from error
