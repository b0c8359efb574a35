"""Lists in JSON, made in this process as the program makes them."""

import gc
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from sidecar.__main__ import main
from sidecar.cli.answers import answer_file
from sidecar.cli.answers.answer_file import Answer
from sidecar.corpus.stores import STORES

MARK = b"the kept answer\n"
_MOST_LISTS = 500


class Lists:
    """Lists of one root with an environment of its own."""

    def __init__(
        self, home: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        self.home, self.root, self.cache = home, home / "root", home / "cache"
        self.settings = home / "config" / "subagent-sidecar" / "config.toml"
        self._capfd, self._monkeypatch = capfd, monkeypatch
        variables = {
            "HOME": home,
            "XDG_CONFIG_HOME": home / "config",
            "SIDECAR_CACHE_DIR": self.cache,
            "SIDECAR_STORAGE_ROOT": home / "own",
        }
        for name, value in variables.items():
            monkeypatch.setenv(name, str(value))

    def write(self, product: str = "claude") -> None:
        self.root.mkdir(parents=True)
        STORES[product](self.root, 3, 1)

    def run(self, *options: str) -> tuple[int, str, str]:
        """Run `list --json`; return the exit code, stdout and stderr."""
        self._monkeypatch.setattr(sys, "argv", ["sidecar", "list", *(options or self.usual), "--json"])
        code = main()
        return code, *self._capfd.readouterr()

    @property
    def usual(self) -> tuple[str, ...]:
        return ("--root", str(self.root), "--children")

    @property
    def kept(self) -> list[Path]:
        folder = self.cache / "lists"
        return sorted(folder.iterdir()) if folder.exists() else []

    def keep(self, *options: str) -> str:
        """List until the answer is kept, which files that were just written delay; return it."""
        known = set(self.kept)
        for _ in range(_MOST_LISTS):
            code, out, err = self.run(*options)
            assert (code, err) == (0, "")
            if set(self.kept) != known:
                return out
        raise AssertionError("no answer was kept")

    def mark(self) -> None:
        """Replace what the kept answers print, so that they differ from a list that was made."""
        for path in self.kept:
            answer = answer_file.read(str(path))
            assert answer is not None
            answer_file.write(str(path), marked(answer))

    def is_known(self, *options: str) -> bool:
        """Return whether a list is printed as it was kept; `mark` comes before."""
        code, out, _ = self.run(*options)
        assert code == 0
        return out == MARK.decode()


def marked(answer: Answer) -> Answer:
    return Answer(answer.places, answer.newest, answer.digest, answer.since, answer.until, MARK)


@pytest.fixture
def lists(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Iterator[Lists]:
    thresholds = gc.get_threshold()
    yield Lists(tmp_path / "home", capfd, monkeypatch)
    gc.set_threshold(*thresholds)
