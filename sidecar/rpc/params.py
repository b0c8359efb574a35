"""Checks a request's parameters against the Struct that declares them, with errors in plain words."""

import re
from typing import Any

import msgspec

from sidecar.rpc.errors import INVALID_PARAMS, RpcError
from sidecar.rpc.integers import with_integers
from sidecar.rpc.wording import reworded

_UNKNOWN = re.compile(r"Object contains unknown field `(.*)`", re.DOTALL)
_MISSING = re.compile(r"Object missing required field `(.*)`", re.DOTALL)
_PLACE = re.compile(r"(.*?)(?: - at `(?:key in )?\$(.*)`)?", re.DOTALL)


def convert_params(params: Any, declared: type) -> Any:
    """Check and convert strictly: no coercion, and no unknown member where `declared` forbids them.

    Raises RpcError -32602 that names the member and says what would be right.
    """
    try:
        return _convert(params, declared)
    except msgspec.ValidationError as error:
        raise RpcError(INVALID_PARAMS, _explain(str(error), declared)) from None
    except UnicodeEncodeError as error:  # a member's name with half of a surrogate pair, which has no UTF-8
        raise RpcError(INVALID_PARAMS, f"params: unknown member {error.object!r}") from None


def _convert(params: Any, declared: type) -> Any:
    try:
        return msgspec.convert(params, declared, strict=True)
    except msgspec.ValidationError:
        # A huge integer has become a float. Report its range, not its type.
        return msgspec.convert(with_integers(params), declared, strict=True)


def _explain(text: str, declared: type) -> str:
    """Turn msgspec's wording (a sentence, then ` - at `$.path``) into one about `params`."""
    match = _PLACE.fullmatch(text)
    problem, path = (match[1], match[2] or "") if match else (text, "")
    place = f"params{path}"
    if unknown := _UNKNOWN.fullmatch(problem):
        return f"unknown member `{unknown[1]}` in {place}{_allowed(declared) if not path else ''}"
    if missing := _MISSING.fullmatch(problem):
        return f"{place} must have the member `{missing[1]}`"
    return f"{place}: {reworded(problem, path, declared)}"


def _allowed(declared: type) -> str:
    names = [field.encode_name for field in msgspec.structs.fields(declared)]
    return f"; known members: {', '.join(names)}" if names else "; it takes no members"
