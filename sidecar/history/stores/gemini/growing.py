"""Read the chats that are lines of JSON, and only what was appended to those read lately."""

import copy
from typing import Final

from sidecar.history.stores.append_only.records import LineDecoder
from sidecar.history.stores.gemini.chat import Chat
from sidecar.history.stores.gemini.facts import Fact, fact_of
from sidecar.history.stores.gemini.records import Line, is_document
from sidecar.history.stores.sessions.folders import head_of
from sidecar.history.stores.sessions.folds import Folds

SUFFIX: Final = ".jsonl"
_LINES: Final = LineDecoder(Line)


class GrowingChats:
    """The facts of chats in lines. Not thread-safe."""

    def __init__(self) -> None:
        self._name = ""
        self._folds: Folds[Line, Chat[Fact]] = Folds(_LINES, lambda: Chat(self._name, fact_of), Chat.take)
        self.bytes_read = 0
        """How many bytes the last reading took."""

    def read(self, path: str, name: str) -> tuple[Chat[Fact], int] | None:
        """Return a chat and the size of its file in bytes; None if it is not in lines or not there."""
        if not _is_in_lines(path):
            return None
        self._name = name
        folded = self._folds.read(path, name)
        if folded is None:
            return None
        self.bytes_read = folded.read
        chat = copy.copy(folded.fold)
        chat.problems = [*folded.problems, *chat.problems]
        return chat, folded.size


def _is_in_lines(path: str) -> bool:
    """Return whether the first line is a record of its own; a document is saved as a whole."""
    head = head_of(path) if path.endswith(SUFFIX) else None
    if not head or b"\n" not in head:
        return False
    return not is_document(head)
