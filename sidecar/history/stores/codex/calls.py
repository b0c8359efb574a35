"""The calls of tools in a session of Codex, and their results. Pure."""

import re
from typing import Final

from sidecar.history.stored.parsing import value_of
from sidecar.history.stores.codex.records import Payload

CALLS: Final = frozenset({"function_call", "custom_tool_call", "local_shell_call", "web_search_call"})
RESULTS: Final = frozenset({"function_call_output", "custom_tool_call_output"})
_HEAD: Final = 400
"""How much of a result is searched for its exit code, which precedes the output of the command."""
_EXIT: Final = re.compile(r"^(?:Exit code: |Process exited with code )(-?\d{1,10})$", re.MULTILINE)
_REFUSED: Final = re.compile(
    r"apply_patch verification failed|(?:patch |exec command |[^\n]{0,200}; )?rejected by user"
    r"|(?:command )?aborted by user|approval policy is Never; reject command"
)


def call_of(payload: Payload) -> tuple[str | None, object]:
    """Return the name and the input of a call."""
    if payload.type == "local_shell_call":
        return "shell", value_of(payload.action)
    if payload.type == "web_search_call":
        return "web_search", value_of(payload.action)
    given = payload.input if payload.type == "custom_tool_call" else payload.arguments
    return payload.name, arguments_of(value_of(given))


def arguments_of(given: object) -> object:
    """Decode arguments that are JSON in a text."""
    decoded = value_of(given) if isinstance(given, str) and given.startswith("{") else None
    return given if decoded is None else decoded


def result_of(output: object) -> tuple[str | None, bool]:
    """Return the text of a result, and whether the call failed.

    Some versions wrap the text in JSON with the exit code; later ones begin it with lines about the call.
    """
    inner = value_of(output) if isinstance(output, str) and output.startswith("{") else output
    if isinstance(inner, dict):
        metadata = inner.get("metadata")
        code = metadata.get("exit_code") if isinstance(metadata, dict) else None
        text = inner.get("output", inner.get("content", output))
        failed = (isinstance(code, int) and code != 0) or inner.get("success") is False
        return text if isinstance(text, str) else None, failed
    if not isinstance(output, str):
        return None, False
    code = _EXIT.search(output[:_HEAD])
    return output, _REFUSED.match(output) is not None or (code is not None and int(code[1]) != 0)


def failed_call(payload: Payload) -> str | None:
    """Return the ID of the call that a record says has failed; None if it says no such thing."""
    item = payload.item
    if payload.type in RESULTS:
        return payload.call_id if result_of(value_of(payload.output))[1] else None
    if payload.type == "patch_apply_end":
        return payload.call_id if value_of(payload.success) is False else None
    if payload.type == "item_completed" and item is not None and item.type == "FileChange":
        call = value_of(item.id)
        return call if isinstance(call, str) and value_of(item.status) in ("failed", "declined") else None
    return None
