"""Parse one task once for the structural rules."""

from collections.abc import Iterator
from itertools import compress, count
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final, TypeVar

import msgspec

from sidecar.api.stored.tasks import Problem, Product
from sidecar.history.stored.parsing import (
    UNREADABLE,
    Parsed,
    Parser,
    clean,
    decode_leniently,
    decode_object,
    text_decoder,
    text_of,
)
from sidecar.history.stored.problems import problem
from sidecar.history.stored.reading import StoredFile
from sidecar.history.stores.task_folders.files import API_FILE, ITEM_FILE, UI_FILE, TaskFiles
from sidecar.history.stores.task_folders.lists import parse_entry
from sidecar.history.stores.task_folders.products.cline import CLINE_LIST
from sidecar.history.stores.task_folders.records import (
    ApiRecord,
    ListEntry,
    TaskMetadata,
    UiMessage,
    Usage,
    api_parser,
    kinds_of,
    ui_parser,
)
from sidecar.history.stores.task_folders.structural.request_text import SHORT, without_prompt

if TYPE_CHECKING:
    from sidecar.history.stores.task_folders.structural.environment import Environment

T = TypeVar("T")

_metadata_decoder: Final = msgspec.json.Decoder(TaskMetadata)
_usage_decoder: Final = msgspec.json.Decoder(Usage)
USAGE_KINDS: Final = frozenset({"api_req_started", "api_req_finished", "deleted_api_reqs", "subagent_usage"})
_note_of: Final = attrgetter("model_info")
_RESUME_ASKS: Final = frozenset({"resume_task", "resume_completed_task"})
EARLIEST_MS: Final = 946_684_800_000
"""2000-01-01: an earlier "time in ms" is a count of seconds, or no time at all."""
LATEST_MS: Final = 4_102_444_800_000
"""2100-01-01: clocks of other machines may run ahead, but not by generations."""


class Sourced(msgspec.Struct, frozen=True, gc=False):
    """A value and where it was read; `note` is for what a person should know about it."""

    value: Any
    source: str
    note: str | None = None


class TaskSource(msgspec.Struct, frozen=True, gc=False):
    """The unread task: its ID and root, the bytes of its files, its entries in shared lists, and the time.

    `entry_place` is the list that `entry` is in.
    """

    task_id: str
    root: str
    product: Product | None
    files: TaskFiles
    entry: ListEntry | None
    hint: ListEntry | None
    now: int
    entry_place: str = CLINE_LIST

    @property
    def is_empty(self) -> bool:
        """Return whether this is not a task: no message file, readable or not, and no list entry."""
        files = self.files
        if files.ui.stamp is not None:  # as mostly
            return False
        found = any(file.stamp is not None or not file.absent for file in (files.ui, files.api, files.item))
        return not found and self.entry is None and self.hint is None


class TaskView:
    """A parsed task. What its messages carry is decoded when first asked for.

    `ui_messages` leaves out the asks that merely opening the task appended; `kinds` are those of its
    messages and `ui_notes` what they note of the model; `usages` its usage records by their places (the
    prompt, at 0, is never one). `api_records` are the messages of the API history, if they were decoded
    from the file as it is.
    """

    def __init__(self, source: TaskSource, api_records: list[ApiRecord] | None = None) -> None:
        self.source = source
        self.now = source.now
        self.problems: list[Problem] = []
        self._blocks: dict[int, list[dict[str, Any]]] = {}
        self.environments: dict[int, list[Environment]] = {}
        self.ui = self._parsed(source.files.ui, ui_parser)
        self.api = self._api(source.files.api, api_records)
        self.entry, self.entry_source = self._entry()
        self.hint = source.hint
        self.metadata = self._metadata(source.files.metadata)
        self.ui_messages = _unopened(self.ui.records if self.ui else [])
        self.kinds = kinds_of(self.ui_messages)
        self.ui_notes = [*map(_note_of, self.ui_messages)]
        self.usages = {
            index: usage
            for index in compress(count(), map(USAGE_KINDS.__contains__, self.kinds))
            if index and (usage := usage_of(self.ui_messages[index])) is not None
        }
        self._note_gaps()

    @property
    def opened(self) -> list[UiMessage]:
        """The asks that opening the task appended at its end."""
        return self.ui.records[len(self.ui_messages) :] if self.ui else []

    @property
    def api_messages(self) -> list[ApiRecord]:
        """The readable messages of the API history."""
        return self.api.records if self.api else []

    def blocks(self, message: ApiRecord) -> list[dict[str, Any]]:
        """Decode a message's content into blocks, once: title, mode, model and workspace may ask."""
        key = id(message)
        if key not in self._blocks:
            self._blocks[key] = message.blocks()
        return self._blocks[key]

    def user_messages(self) -> Iterator[ApiRecord]:
        """Iterate over what the user's side sent to the model."""
        return (message for message in self.api_messages if message.role == "user")

    def _parsed(self, file: StoredFile, parser: Parser[T]) -> Parsed[T] | None:
        self.problems.extend(file.problems)
        if file.data is None:
            return None
        parsed = parser.parse(file.data, file.name)
        self.problems.extend(parsed.problems)
        return parsed

    def _api(self, file: StoredFile, records: list[ApiRecord] | None) -> Parsed[ApiRecord] | None:
        if records is None or file.data is None or clean(file.data, file.name)[1]:
            return self._parsed(file, api_parser)
        self.problems.extend(file.problems)
        return Parsed(records, len(records), [], True)

    def _entry(self) -> tuple[ListEntry | None, str]:
        item = self.source.files.item
        self.problems.extend(item.problems)
        if item.data is not None:
            entry, problems = parse_entry(item.data, ITEM_FILE)
            self.problems.extend(problems)
            if entry is not None:
                return entry, ITEM_FILE
        return self.source.entry, self.source.entry_place

    def _metadata(self, file: StoredFile) -> TaskMetadata | None:
        if file.data is None:
            return None
        metadata, problems = decode_object(_metadata_decoder.decode, file.data, file.name)
        self.problems.extend(problems)
        return metadata

    def _note_gaps(self) -> None:
        files = self.source.files
        self.problems.extend(files.metadata.problems)
        if self.ui is None and self.api is None and self.entry is None and self.hint is None:
            self.problems.append(problem("empty", "neither messages nor a list entry can be read"))
        elif files.ui.absent and files.ui.saving_until is None:
            self.problems.append(problem("missing", f"{UI_FILE} is missing"))
        if files.api.absent and files.api.saving_until is None and self.asked_a_model():
            self.problems.append(problem("missing", f"{API_FILE} is missing"))
        self._note_foreign_content()

    def asked_a_model(self) -> bool:
        """Return whether the UI messages hold a request."""
        return any(message.say == "api_req_started" for message in self.ui_messages)

    def _note_foreign_content(self) -> None:
        """Note files that are sound JSON and hold no message of any product."""
        if _is_empty_array(self.ui) and (self.source.files.api.absent or _is_empty_array(self.api)):
            both = self.api is not None
            message = f"{UI_FILE} and {API_FILE} hold" if both else f"{UI_FILE} holds"
            self.problems.append(problem("empty", f"{message} an empty array"))
        if self.ui is not None and self.ui.records and all(map(_is_foreign, self.ui.records)):
            message = "no message has a ts, type, say or ask: another program wrote it"
            self.problems.append(problem("malformed", f"{UI_FILE}: {message}"))
        if self.api is not None and self.api.records and all(it.is_foreign for it in self.api.records):
            message = "no message has a role or content: another program wrote it"
            self.problems.append(problem("malformed", f"{API_FILE}: {message}"))


def _is_empty_array(file: Parsed[Any] | None) -> bool:
    return file is not None and not file.total and not file.problems


def _is_foreign(message: UiMessage) -> bool:
    return message.ts is None and message.type is None and message.say is None and message.ask is None


def _unopened(messages: list[UiMessage]) -> list[UiMessage]:
    """Leave out the asks that merely opening the task appended."""
    end = len(messages)
    while end and messages[end - 1].kind in _RESUME_ASKS:
        end -= 1
    return messages if end == len(messages) else messages[:end]


def sane_ms(value: Any) -> int | None:
    """Read a stored time: ms between 2000 and 2100, else None."""
    if type(value) is not int and type(value) is not float:  # a bool is not a time
        return None
    return int(value) if EARLIEST_MS <= value <= LATEST_MS else None


def usage_of(message: UiMessage) -> Usage | None:
    """Read the usage JSON in a message's text; None when there is none."""
    json = message.text
    try:
        return _usage_decoder.decode(
            text_decoder.decode(json if len(json) < SHORT else without_prompt(bytes(json)))
        )
    except UNREADABLE:
        text = text_of(message.text)
        return decode_leniently(_usage_decoder.decode, text) if text else None
