"""Finds the description of each member of a Struct: the string below it, or that of a common name."""

import ast
import inspect
import textwrap
from collections.abc import Mapping
from functools import cache

import msgspec

COMMON: Mapping[str, str] = {
    "revision": "The Host's revision. It grows with every change.",
    "task_id": "A task's ID or a unique prefix of it.",
    "root": "The absolute path of the root that holds the task. Default: the first root that has this ID.",
    "roots": "Absolute paths of the roots to read. Default: all roots of this connection.",
    "cursor": "The `nextCursor` of the previous page. Absent for the first page.",
    "next_cursor": "Pass it as `cursor` to get the next page. Absent on the last page.",
    "work_done_token": "Pass any value to receive `$/progress` notifications with it.",
    "seq": "The number of the event in its run, from 1 without gaps.",
    "ts": "When the event happened, in ms since the epoch.",
}
"""Descriptions of members that mean the same in every Struct, by their Python names."""


def describe(cls: type[msgspec.Struct], field: str) -> str:
    """Return the description of a member on one line. Raises LookupError for a member that has none."""
    text = _written(cls).get(field) or COMMON.get(field)
    if text is None:
        raise LookupError(f"{cls.__name__}.{field} has no description: write a string below it")
    return " ".join(text.split())


@cache
def _written(cls: type[msgspec.Struct]) -> Mapping[str, str]:
    """Read the strings below the members of a class and of the classes it extends."""
    found: dict[str, str] = {}
    for base in reversed(cls.__mro__):
        if issubclass(base, msgspec.Struct) and base.__module__.startswith("sidecar."):
            found |= dict(_below_members(inspect.getsource(base)))
    return found


def _below_members(source: str) -> list[tuple[str, str]]:
    body = ast.parse(textwrap.dedent(source)).body[0]
    assert isinstance(body, ast.ClassDef), "the source of a class"
    return [
        (member.target.id, below.value.value)
        for member, below in zip(body.body, body.body[1:], strict=False)
        if isinstance(member, ast.AnnAssign) and isinstance(member.target, ast.Name)
        if isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant)
        if isinstance(below.value.value, str)
    ]
