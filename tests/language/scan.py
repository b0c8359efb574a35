"""Find idioms in files and folders of the repository."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from tests.language.allowed import ALLOWED
from tests.language.idioms import IDIOMS, simplified

REPOSITORY = Path(__file__).parents[2]
SUFFIXES = {".py", ".ts", ".mjs", ".md", ".css", ".toml", ".yml", ""}
NAMES = {"package.json", "package.nls.json"}
SKIPPED = {"node_modules", "__pycache__", ".venv", "dist", "media", "LICENSE"}
GENERATED = {"docs/protocol.md", "client-ts/src/protocol.ts"}
GERMAN = {"de", "de.ts"}
"""The folders and files of another language."""
LISTING = "tests/language/"
"""The files that list the idioms."""


class Finding(NamedTuple):
    """An idiom in a line of a file; the line is 0 when the name of the file holds it."""

    path: str
    line: int
    words: str
    better: str

    def __str__(self) -> str:
        """Return the finding as editors and terminals link it."""
        return f"{self.path}:{self.line}: {self.words!r} ({self.better})"


def findings(rooms: Iterable[str]) -> Iterator[Finding]:
    """Yield the idioms in the files of rooms, which are files or folders of the repository."""
    for room in rooms:
        for file in _files(REPOSITORY / room):
            path = file.relative_to(REPOSITORY).as_posix()
            yield from _in_file(path, file.read_text())


def in_text(text: str) -> Iterator[tuple[int, str, str]]:
    """Yield the line, the words and the better words of each idiom in a text."""
    simple = simplified(text)
    for idiom in IDIOMS:
        if idiom.candidate.search(simple) is None:
            continue
        for match in idiom.pattern.finditer(text):
            if match["idiom"]:
                yield text.count("\n", 0, match.start()) + 1, " ".join(match["idiom"].split()), idiom.better


def _in_file(path: str, text: str) -> Iterator[Finding]:
    allowed = [entry.text for entry in ALLOWED if entry.path == path]
    lines = ["", *text.splitlines()]
    yield from (Finding(path, 0, words, better) for _, words, better in in_text(Path(path).name))
    for line, words, better in sorted(in_text(text)):
        if not any(fine in lines[line] for fine in allowed):
            yield Finding(path, line, words, better)


def _files(room: Path) -> Iterator[Path]:
    for file in sorted(room.rglob("*")) if room.is_dir() else [room]:
        relative = file.relative_to(REPOSITORY)
        path = relative.as_posix()
        if path in GENERATED or path.startswith(LISTING) or (SKIPPED | GERMAN).intersection(relative.parts):
            continue
        if file.is_file() and (file.suffix in SUFFIXES or file.name in NAMES):
            yield file
