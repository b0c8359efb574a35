"""Determine the diff of a new file for an agent that reports none. No I/O."""

from collections.abc import Mapping
from typing import Any

Json = dict[str, Any]


def new_file(call: Mapping[str, Any]) -> Json | None:
    """Return the diff of the file that a completed call created; None if its members do not show one.

    opencode reports a diff only with a permission request. Otherwise its result states that the file did not
    exist, and the arguments contain the text.
    """
    given, result = call.get("rawInput"), call.get("rawOutput")
    details = result.get("metadata") if isinstance(result, Mapping) else None
    if (
        not isinstance(given, Mapping)
        or not isinstance(details, Mapping)
        or details.get("exists") is not False
    ):
        return None
    path, text = given.get("filePath"), given.get("content")
    if not isinstance(path, str) or not isinstance(text, str):
        return None
    return {"type": "diff", "path": path, "newText": text}
