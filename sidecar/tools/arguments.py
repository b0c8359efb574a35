"""Check the arguments of tool calls. Each error names the parameter."""

from collections.abc import Collection, Mapping
from typing import Any

from sidecar.tools.result import ToolError, ToolResult

PARAMETER_VALIDATION = "PARAMETER_VALIDATION"
_MOST_SHOWN = 100
"""How many characters of an invalid value an error repeats; a longer one only fills the model's context."""


class BadArgument(ValueError):
    """An argument is invalid; the message names it and the remedy."""


def check_names(arguments: object, known: Collection[str]) -> Mapping[str, Any]:
    """Return the arguments as an object with known members only; null counts as absent."""
    if not isinstance(arguments, Mapping):
        raise BadArgument("The arguments must be an object.")
    for name in arguments:
        if name not in known:
            raise BadArgument(f"Unknown parameter {quoted(name)}. Known parameters: {', '.join(known)}.")
    return {name: value for name, value in arguments.items() if value is not None}


def text(arguments: Mapping[str, Any], name: str) -> str | None:
    """Return a string argument; None if it is absent."""
    if name not in arguments:
        return None
    value = arguments[name]
    if not isinstance(value, str):
        raise BadArgument(f"Parameter '{name}' must be a string.")
    return value


def quoted(value: object) -> str:
    """Return a value in quotation marks for an error, cut if it is long."""
    return f"'{shortened(value)}'"


def shortened(value: object) -> str:
    """Return the beginning of a value for an error."""
    shown = str(value)
    return shown if len(shown) <= _MOST_SHOWN else f"{shown[:_MOST_SHOWN]}…"


def shown_text(arguments: object, name: str) -> str:
    """Return a string argument for people, even if others are invalid; empty if it is absent."""
    value = arguments.get(name) if isinstance(arguments, Mapping) else None
    return value if isinstance(value, str) else ""


def refuse(error: BadArgument) -> ToolResult:
    """Return the result for an invalid argument."""
    message = str(error)
    return ToolResult(message, message, error=ToolError(message, PARAMETER_VALIDATION))
