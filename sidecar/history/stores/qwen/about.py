"""What Qwen Code writes about a subagent next to its chat, whose records do not name the model."""

from typing import Any, Final

import msgspec

from sidecar.api.stored.tasks import Problem
from sidecar.history.stored.parsing import clean, decode_leniently, is_json
from sidecar.history.stored.reading import StoredFile, read_file
from sidecar.history.stores.qwen.layout import AGENT, SUFFIX
from sidecar.history.stores.sessions.saving import read_settled
from sidecar.history.stores.sessions.values import session_id, text

ABOUT: Final = ".meta.json"
_MAX_BYTES: Final = 256 * 1024


def about_path(chat: str) -> str:
    """Return the path of the file about the subagent with this chat."""
    return f"{chat.removesuffix(SUFFIX)}{ABOUT}"


def agent_of(name: str) -> str | None:
    """Return the ID of the subagent whose chat, or the file about it, has this name."""
    suffix = next((each for each in (SUFFIX, ABOUT) if name.endswith(each)), None)
    return session_id(name.removesuffix(suffix)) if suffix and name.startswith(AGENT) else None


def model_of(chat: str, name: str) -> tuple[str | None, list[Problem]]:
    """Return the model of the subagent with this chat, None if it is not recorded, and why it is not read.

    `name` is for problems.
    """
    file = read_settled(about_path(chat), about_path(name), is_json, _read_bounded)
    data, problems = file.data, [each for each in file.problems if each.code == "unreadable"]
    value: Any = decode_leniently(msgspec.json.decode, clean(data, name)[0]) if data else None
    return (text(value.get("model")) if isinstance(value, dict) else None), problems


def _read_bounded(path: str, name: str) -> StoredFile:
    return read_file(path, name, _MAX_BYTES)
