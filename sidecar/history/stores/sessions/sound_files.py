"""Tell files with content from those that a crash or another program destroyed, which kept copies replace."""

from sidecar.history.stored.reading import Stamp, stamp_of
from sidecar.history.stores.sessions.folders import PADDING, head_behind_padding, head_of
from sidecar.history.stores.sessions.saving import is_recent
from sidecar.storage.kept.blob_names import is_blob


class SoundFiles:
    """The files that had content when they were last read. Ask only about sessions with a kept copy."""

    def __init__(self) -> None:
        self._stamps: dict[str, Stamp] = {}

    def has(self, path: str) -> bool:
        """Return whether a kept copy, or a file with more than zero bytes, has this path."""
        stamp = stamp_of(path)
        if stamp is None or is_blob(path):
            return stamp is not None
        if self._stamps.get(path) == stamp:
            return True
        head = head_of(path)
        if head == b"":  # its writer may be replacing the content
            return is_recent(path)
        if head is None or not (head.strip(PADDING) or head_behind_padding(path)):
            return False
        self._stamps[path] = stamp
        return True
