"""The kept copies of chats that Gemini CLI has deleted."""

from collections.abc import Callable, Collection, Iterable, Mapping

from sidecar.history.stores.gemini.layout import ChatPath
from sidecar.history.stores.sessions.sound_files import SoundFiles
from sidecar.storage.kept.copies import copies_in
from sidecar.storage.kept.records import KeptFile


class KeptChats:
    """The copies of one root's chats. `names` has the original's name of each copy in use, by its path."""

    def __init__(self, folder: str) -> None:
        self.copies = copies_in(folder)
        self.names: dict[str, str] = {}
        self._sound = SoundFiles()

    def sessions(self) -> Collection[str]:
        """Return the sessions of which there are whole copies."""
        return self.copies.sessions().keys()

    def without_destroyed(self, chats: Iterable[ChatPath], name: Callable[[ChatPath], str]) -> list[ChatPath]:
        """Return the chats whose content is not lost, or not kept; `name` returns a path in the root."""
        kept = {file.path for session in self.copies.sessions().values() for file in session.files}
        return [chat for chat in chats if name(chat) not in kept or self._sound.has(chat.path)]

    def lost(self, there: Collection[str]) -> Mapping[str, list[ChatPath]]:
        """Return the copies of chats whose originals are not `there`, by session; `there` has names."""
        found: dict[str, list[ChatPath]] = {}
        self.names = {}
        for key, session in self.copies.sessions().items():
            for file in session.files:
                if file.path not in there and (chat := self._chat(file)) is not None:
                    self.names[chat.path] = file.path.partition("/")[2]
                    found.setdefault(key, []).append(chat)
        return found

    def _chat(self, file: KeptFile) -> ChatPath | None:
        match file.path.split("/"):
            case [_, project, _, _]:
                return ChatPath(self.copies.blob(file), project, None, 0)
            case [_, project, _, parent, _]:
                return ChatPath(self.copies.blob(file), project, parent, 0)
        return None
