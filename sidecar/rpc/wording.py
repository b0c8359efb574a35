"""Rewords errors about values that a peer sent in terms of JSON instead of Python."""

import json
import re
from collections.abc import Iterator

import msgspec

_ENUM = re.compile(r"Invalid enum value (.*)", re.DOTALL)
_TYPES = re.compile(r"`([^`]*)`")
_STEP = re.compile(r"\.(\w+)|\[(?:\.\.\.|\d+)\]")
_WORDS = {"str": "string", "int": "integer", "float": "number", "bool": "boolean", "None": "null"}


def reworded(problem: str, path: str, declared: type) -> str:
    """Return msgspec's sentence about the value at `path` of `declared`, such as `.sort.by` or `.ids[0]`.

    For a value outside a fixed set, name the set.
    """
    if (enum := _ENUM.fullmatch(problem)) and (allowed := allowed_values(declared, path)):
        return f"{enum[1]} is not allowed; use {_choice([json.dumps(each) for each in allowed])}"
    text = _TYPES.sub(lambda match: _choice(_json_types(match[1])), problem)
    return f"{text[:1].lower()}{text[1:]}"


def allowed_values(declared: type, path: str) -> list[object]:
    """Return the values that a member with a fixed set accepts; empty for any other member."""
    import msgspec.inspect  # here, because only errors need it

    found = [msgspec.inspect.type_info(declared)]
    for step in _STEP.finditer(path):
        found = [inner for each in found for inner in _inside(each, step[1])]
    literals = (each for outer in found for each in _members(outer))
    return [
        value for each in literals if isinstance(each, msgspec.inspect.LiteralType) for value in each.values
    ]


def _members(kind: "msgspec.inspect.Type") -> "Iterator[msgspec.inspect.Type]":
    """Yield the types of a union, any other type itself."""
    if isinstance(kind, msgspec.inspect.UnionType):
        for each in kind.types:
            yield from _members(each)
    elif isinstance(kind, msgspec.inspect.Metadata):
        yield from _members(kind.type)
    else:
        yield kind


def _inside(kind: "msgspec.inspect.Type", name: str | None) -> "Iterator[msgspec.inspect.Type]":
    """Yield the types of a member by its name, or without one those of an item."""
    for each in _members(kind):
        if isinstance(each, msgspec.inspect.StructType):
            yield from (field.type for field in each.fields if field.encode_name == name)
        elif isinstance(each, msgspec.inspect.DictType):
            yield each.value_type
        elif isinstance(each, msgspec.inspect.ListType):
            yield each.item_type


def _json_types(names: str) -> list[str]:
    words = list(dict.fromkeys(_WORDS.get(name, name) for name in names.split(" | ")))
    return [word for word in words if not (word == "integer" and "number" in words)]


def _choice(words: list[str]) -> str:
    return " or ".join([", ".join(words[:-1]), words[-1]]) if len(words) > 1 else words[0]
