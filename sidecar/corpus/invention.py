"""Words, times, IDs and folders of made-up sessions, all from one seed."""

from datetime import UTC, datetime
from random import Random
from typing import Any, Final
from uuid import UUID

from sidecar.corpus.truth import NOW_MS

HOUR: Final = 3_600_000
DAY: Final = 24 * HOUR
_SYLLABLES: Final = (
    "bri",
    "dun",
    "fip",
    "gru",
    "hol",
    "kra",
    "mel",
    "pix",
    "quel",
    "riv",
    "stu",
    "tam",
    "vo",
    "zan",
)
_VERBS: Final = (
    "Add",
    "Document",
    "Explain",
    "Fix",
    "Refactor",
    "Remove",
    "Rename",
    "Review",
    "Split",
    "Test",
)
_THINGS: Final = (
    "the CSV export",
    "pagination in the orders list",
    "the parser for config files",
    "the flaky login test",
    "i18n für die Einstellungen",
    "日志轮转",
    "экспорт отчётов",
    "the README 🚀",
)
_ENDINGS: Final = ("", " step by step", " and keep the public API stable", "\n\nThen run the   tests.")
_REPLIES: Final = (
    "I'll read the current code first.",
    "The handler reads the body twice, so the second read is empty.",
    'The log says {"usage":{"input_tokens":99999,"output_tokens":88888},"costUSD":9.5,"cost":7.25}.',
    'It prints {"sessionId":"decoy","type":"user","uuid":"decoy"} and exits.',
    "Done. All tests pass.",
)
"""Some hold what looks like a record of a store."""
FOLDERS: Final = (
    "/home/dana/projects/notes",
    "/home/jürgen/projects/shop-api",
    "/Users/li.wei/code/Atlas_2",
    "/workspaces/blog.v3",
    "C:\\Users\\sam\\source\\infra",
    "d:\\work (old)\\acme portal",
)
"""Working directories on Linux, macOS, in a container and on Windows."""


class Inventor:
    """Makes up what sessions consist of. The clock moves on with each `tick`."""

    def __init__(self, seed: int, name: str) -> None:
        self.random = Random(f"{seed}:{name}")
        self.now = NOW_MS
        self.time = NOW_MS - 30 * DAY

    def start(self, age: int | None = None) -> int:
        """Set the clock to the start of a session, `age` ms before the end of the corpus."""
        if age is None:
            age = self.random.randrange(8 * DAY, 60 * DAY)
        self.time = self.now - age
        return self.time

    def tick(self, most: int = 15_000) -> int:
        """Return a later time, in ms."""
        self.time += self.random.randrange(40, most)
        return self.time

    def wait(self, hours: int) -> None:
        """Let hours pass, as between two processes."""
        self.time += hours * HOUR + self.random.randrange(HOUR)

    def word(self) -> str:
        """Make a word that occurs nowhere else."""
        return "".join(self.random.choices(_SYLLABLES, k=3)) + f"{self.random.randrange(16**5):05x}"

    def prompt(self, word: str = "") -> str:
        """Make up a prompt; some have several lines."""
        parts = (self.random.choice(_VERBS), self.random.choice(_THINGS), word)
        return " ".join(filter(None, parts)) + self.random.choice(_ENDINGS)

    def reply(self, word: str = "") -> str:
        """Make up an answer of a model."""
        return f"{' '.join(self.random.sample(_REPLIES, 2))} {word}".strip()

    def uuid(self) -> str:
        """Make a random UUID."""
        return str(UUID(int=self.random.getrandbits(128), version=4))

    def folder(self) -> str:
        """Choose a working directory."""
        return self.random.choice(FOLDERS)

    def tokens(self, least: int = 1_000, most: int = 40_000) -> int:
        """Choose a number of tokens."""
        return self.random.randrange(least, most)

    def turns(self) -> int:
        """Choose a number of turns."""
        return self.random.randint(1, 3)


def iso(ms: int) -> str:
    """Write a time as JavaScript does."""
    moment = datetime.fromtimestamp(ms / 1000, UTC)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{ms % 1000:03d}Z"


def on_one_line(text: str) -> str:
    """Return a text as a title shows it."""
    return " ".join(text.split())


Json = dict[str, Any]
