"""The environment block that the products append to what they send: mode, model, workspace and time.

Only a text that is such a block counts, not the same words in a file that was read.
"""

from collections.abc import Iterable, Iterator
from typing import Any, Final

import msgspec

from sidecar.history.stored.parsing import text_of, value_of
from sidecar.history.stores.task_folders.files import API_FILE, UI_FILE
from sidecar.history.stores.task_folders.products import PRODUCTS
from sidecar.history.stores.task_folders.records import ApiRecord, UiMessage
from sidecar.history.stores.task_folders.structural.stated_time import StatedTime, stated_time
from sidecar.history.stores.task_folders.structural.view import TaskView

_OPEN: Final = "<environment_details>"
_WORD: Final = "environment_details"
"""Part of both tags, however a writer escapes their brackets."""
_CLOSE: Final = "</environment_details>"
_MODE_HEADING: Final = "# Current Mode\n"
_TIME_HEADING: Final = "\n# Current Time\n"
_WORKSPACE_HEADINGS: Final = ("# Current Workspace Directory (", "# Current Working Directory (")
_LISTING: Final = ") Files"
_PRIMARY: Final = "Primary: "
_MODE_WINDOW: Final = 65_536
"""How many characters at the end of a block are searched for its mode first: only a file list is longer."""
_MODES: Final = {heading: mode for product in PRODUCTS for heading, mode in product.modes.items()}


class Environment(msgspec.Struct, gc=False):
    """The values of one block; `source` is the file that contains it."""

    text: str
    source: str
    _section: str | None = None

    @property
    def mode(self) -> tuple[str | None, str | None]:
        """The slug and the name of the mode; either may be missing."""
        section = self._mode_section
        if not section.startswith("<"):  # no tag
            first = section.partition("\n")[0].strip()
            if first in _MODES:
                return _MODES[first]
        return _tagged(section, "<slug>", "</slug>"), _tagged(section, "<name>", "</name>")

    @property
    def model(self) -> str | None:
        """The model's ID as Roo and Kilo write it."""
        return _tagged(self._mode_section, "<model>", "</model>")

    @property
    def workspace(self) -> str | None:
        """The directory of the session, up to the end of the line, since it may contain brackets."""
        text = self.text
        for heading in _WORKSPACE_HEADINGS:
            start = _behind(text, heading)
            if start >= 0:
                end = text.find("\n", start)
                line = text[start : end if end >= 0 else None].rstrip()
                if line.endswith(_LISTING):
                    return self._primary(line.removesuffix(_LISTING))
        return None

    @property
    def time(self) -> StatedTime | None:
        """When the block was made: the last time in it, since the output of terminals comes before."""
        _, heading, section = self.text.rpartition(_TIME_HEADING)
        return stated_time(section) if heading else None

    @property
    def _mode_section(self) -> str:
        if self._section is None:
            self._section = self._find_mode_section()
        return self._section

    def _find_mode_section(self) -> str:
        text = self.text
        start = text.rfind(_MODE_HEADING, -_MODE_WINDOW)
        if start < 0:
            start = text.find(_MODE_HEADING)
        if start < 0:
            return ""
        end = text.find("\n# ", start + len(_MODE_HEADING))
        return text[start + len(_MODE_HEADING) : end if end >= 0 else None]

    def _primary(self, path: str) -> str:
        """Resolve the name that Cline gives in a workspace of several folders."""
        if not path.startswith(_PRIMARY):
            return path
        name = path.removeprefix(_PRIMARY)
        for folder, details in _workspaces(self.text).items():
            hint = details.get("hint") if isinstance(details, dict) else None
            if name == hint or folder.replace("\\", "/").rstrip("/").endswith("/" + name):
                return folder
        return name


def newest_first(view: TaskView) -> Iterator[Environment]:
    """Iterate over a task's environment blocks from the end, the API history before the UI's requests."""
    for message in reversed(view.api_messages):
        if message.role == "user":
            yield from reversed(_in_message(view, message))
    for text in _requests(reversed(view.ui_messages)):
        if environment := _at_end(text, UI_FILE):
            yield environment


def oldest_first(view: TaskView) -> Iterator[Environment]:
    """Iterate over a task's environment blocks from the start."""
    for message in view.user_messages():
        yield from _in_message(view, message)
    for text in _requests(view.ui_messages):
        if environment := _at_end(text, UI_FILE):
            yield environment


def _in_message(view: TaskView, message: ApiRecord) -> list[Environment]:
    known = view.environments.get(id(message))
    if known is None:
        texts = message.texts_with(_WORD)
        known = [found for text in texts if (found := _at_end(text, API_FILE)) is not None]
        view.environments[id(message)] = known
    return known


def _at_end(text: str, source: str) -> Environment | None:
    """Take the block at the end of a text; in the API history it fills a text block of its own."""
    text = text.strip()
    if not text.endswith(_CLOSE):
        return None
    start = text.rfind(_OPEN)
    if start < 0 or (start and source == API_FILE):
        return None
    return Environment(text[start + len(_OPEN) : -len(_CLOSE)], source)


def _requests(messages: Iterable[UiMessage]) -> Iterator[str]:
    """Yield the prompts that Cline, and Roo until 2025-10, kept in their request messages."""
    for message in messages:
        if message.say == "api_req_started":
            text = text_of(message.text)
            record = value_of(text) if text else None
            request = record.get("request") if isinstance(record, dict) else None
            if isinstance(request, str):
                yield request


def _workspaces(text: str) -> dict[str, Any]:
    heading = "# Workspace Configuration\n"
    start = text.find(heading)
    if start < 0:
        return {}
    import json  # here, because few blocks hold a workspace configuration

    try:
        value, _ = json.JSONDecoder().raw_decode(text, start + len(heading))
    except (ValueError, RecursionError):
        return {}
    workspaces = value.get("workspaces") if isinstance(value, dict) else None
    return workspaces if isinstance(workspaces, dict) else {}


def _behind(text: str, heading: str) -> int:
    """Find where a heading at the start of a line ends; -1 when it is not there."""
    if text.startswith(heading):
        return len(heading)
    place = text.find("\n" + heading)
    return place + 1 + len(heading) if place >= 0 else -1


def _tagged(text: str, opening: str, closing: str) -> str | None:
    """Return the content of the first `<tag>…</tag>`, on one line."""
    start = text.find(opening) + len(opening)
    end = text.find(closing, start) if start >= len(opening) else -1
    value = text[start:end].strip() if end >= 0 else ""
    return value if value and "\n" not in value else None
