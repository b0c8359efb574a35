"""Find the files that a task touched in its metadata, tool messages and tool calls. Pure."""

from collections.abc import Iterable, Iterator
from typing import Any, Final, get_args

from sidecar.api.stored.files import FileAction
from sidecar.changes.file_change import FileChange, merged, relative, tidy
from sidecar.changes.fold import ChangesFold
from sidecar.history.stored.parsing import clean, value_of
from sidecar.history.stores.task_folders.messages.named_files import files_called, files_shown
from sidecar.history.stores.task_folders.products import PRODUCTS
from sidecar.history.stores.task_folders.structural.view import sane_ms

_ACTIONS: Final[tuple[FileAction, ...]] = get_args(FileAction)
_RECORDED: Final[dict[str, FileAction]] = {
    "read_tool": "read",
    "file_mentioned": "mentioned",
    "user_edited": "edited",
    **{name: action for product in PRODUCTS for name, action in product.tools.recorded.items()},
}
MAX_FILES: Final = 20_000
"""Most files of one task."""
_DATES: Final = (*(name for product in PRODUCTS for name in product.tools.dates), "user_edit_date")


def touched_files(
    ui: Iterable[bytes], api: Iterable[bytes], metadata: bytes | None, own_workspace: str | None = None
) -> list[FileChange]:
    """Gather the files of one task from the bytes of its messages and metadata; never raises.

    `own_workspace` is the workspace of a run of the sidecar, None for tasks of other products. Such a run
    lists what it changed in its metadata; one without that list is counted from its messages.
    """
    found: dict[str, FileChange] = {}
    for touch in _touches(ui, api, metadata, own_workspace):
        path = tidy(touch.path) if own_workspace is None else relative(touch.path, own_workspace)
        known = found.get(path)
        if known is not None:
            found[path] = merged(known, touch)
        elif path and len(found) < MAX_FILES:
            found[path] = touch._replace(path=path)
    return [found[path] for path in sorted(found)]


def _touches(
    ui: Iterable[bytes], api: Iterable[bytes], metadata: bytes | None, own_workspace: str | None
) -> Iterator[FileChange]:
    recorded = list(_from_metadata(metadata))
    yield from recorded
    counted = ChangesFold(own_workspace) if own_workspace is not None and not recorded else None
    for message in _telling(ui):
        call = _shown(message)
        if counted is not None:
            counted.take({**call, "type": "tool", "ts": message.get("ts")})
        yield from files_shown(call, sane_ms(message.get("ts")))
    yield from counted.files() if counted is not None else ()
    for message in _telling(api):
        yield from files_called(message, tags=own_workspace is None)


def _telling(messages: Iterable[bytes]) -> Iterator[dict[str, Any]]:
    """Read the messages that can name a file: decoding the others would be most of the work."""
    for part in messages:
        if b"path" in part or b" File: " in part:
            message = value_of(part)
            if isinstance(message, dict):
                yield message


def _from_metadata(data: bytes | None) -> Iterator[FileChange]:
    metadata = value_of(clean(data, "")[0]) if data else None
    records = metadata.get("files_in_context") if isinstance(metadata, dict) else None
    for record in records if isinstance(records, list) else ():
        if isinstance(record, dict) and isinstance(record.get("path"), str):
            times = [at for name in _DATES if (at := sane_ms(record.get(name))) is not None]
            yield FileChange(
                record["path"],
                _recorded_actions(record),
                _count(record.get("additions")),
                _count(record.get("deletions")),
                max(times, default=None),
            )


def _recorded_actions(record: dict[str, Any]) -> frozenset[FileAction]:
    """Read the actions: our own runs list them, and other products imply one by the source."""
    listed, source = record.get("actions"), record.get("record_source")
    own = frozenset(action for action in _ACTIONS if isinstance(listed, list) and action in listed)
    return own or frozenset({_RECORDED.get(source, "mentioned") if isinstance(source, str) else "mentioned"})


def _count(value: object) -> int | None:
    return value if type(value) is int and value >= 0 else None


def _shown(message: dict[str, Any]) -> dict[str, Any]:
    """Return the tool call that a UI message shows, whether asked for or done; empty if it shows none."""
    text = message.get("text")
    if "tool" not in (message.get("say"), message.get("ask")) or not isinstance(text, str):
        return {}
    call = value_of(text)
    return call if isinstance(call, dict) else {}
