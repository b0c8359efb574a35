"""The usage records in UI messages, each decoded when it is needed: the guide's rules need few of them."""

from collections.abc import Iterator, Sequence
from typing import Final

import msgspec

from sidecar.history.stored.parsing import UNREADABLE, decode_leniently, text_decoder, text_of
from sidecar.history.stores.task_folders.records import UiMessage, Usage
from sidecar.history.stores.task_folders.structural.request_text import SHORT, without_prompt

_decoder: Final = msgspec.json.Decoder(Usage)
_KEYS: Final = {field.name: field.encode_name.encode() for field in msgspec.structs.fields(Usage)}
_ESCAPE: Final = b"\\u"
"""What the file has if a key is spelt in another way."""


class Usages:
    """The usage records of a task by the places of their messages; `data` is the file with the messages."""

    def __init__(self, messages: Sequence[UiMessage], places: Sequence[int], data: bytes) -> None:
        self._messages = messages
        self._places = places
        self._data = data
        self._decoded: dict[int, Usage | None] = {}
        self._all: dict[int, Usage] | None = None

    def get(self, place: int) -> Usage | None:
        """Return the record of the message at `place`, if that is where one may be."""
        if self._all is not None:
            return self._all.get(place)
        if place not in self._decoded:
            self._decoded[place] = usage_of(self._messages[place]) if place in self._places else None
        return self._decoded[place]

    def all(self) -> dict[int, Usage]:
        """Return all records, by place."""
        if self._all is None:
            known = self._decoded
            self._all = {
                place: usage
                for place in self._places
                if (usage := known[place] if place in known else usage_of(self._messages[place])) is not None
            }
        return self._all

    def with_any(self, fields: Sequence[str]) -> Iterator[Usage]:
        """Iterate over the records with one of these fields; mostly the file shows that there are none."""
        if _ESCAPE in self._data or any(_KEYS[field] in self._data for field in fields):
            for usage in self.all().values():
                if any(getattr(usage, field) is not None for field in fields):
                    yield usage


def usage_of(message: UiMessage) -> Usage | None:
    """Read the usage JSON in a message's text; None when there is none."""
    json = message.text
    try:
        return _decoder.decode(
            text_decoder.decode(json if len(json) < SHORT else without_prompt(bytes(json)))
        )
    except UNREADABLE:
        text = text_of(message.text)
        return decode_leniently(_decoder.decode, text) if text else None
