import time
from pathlib import Path

import pytest

from sidecar.subagents.runners.builtin.tools import listing


def listed(folder: Path, pattern: str) -> str:
    return "\n".join(listing.matching_files(folder, pattern))


def fill(root: Path, *names: str) -> None:
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("x")


def test_files_are_listed_without_packages_caches_and_links(root: Path) -> None:
    fill(root, "b.py", "a/c.py", "a/d.txt", ".git/config", "node_modules/m/index.js")
    (root / "out").symlink_to(root.parent)
    (root / "secret").symlink_to(root.parent / "secret.txt")
    assert listed(root, "**") == "b.py\na/c.py\na/d.txt"
    assert listed(root, "*.py") == "b.py\na/c.py"
    assert listed(root, "*.rs") == ""


@pytest.mark.parametrize(
    ("path", "pattern", "does"),
    [
        ("a.py", "*.py", True),
        ("src/deep/a.py", "*.py", True),
        ("src/a.py", "src/*.py", True),
        ("src/deep/a.py", "src/*.py", False),
        ("src/deep/a.py", "src/**/*.py", True),
        ("src/a.py", "src/**/*.py", True),
        ("src/deep/a.py", "src/**", True),
        ("src/a.py", "./src/a.p[y]", True),
        ("src/a.py", "lib/**", False),
    ],
)
def test_patterns(path: str, pattern: str, does: bool) -> None:
    assert listing.fits(path, pattern) is does


def test_a_malicious_pattern_is_matched_quickly() -> None:
    began = time.monotonic()
    assert not listing.fits("/".join("a" * 60), "/".join(["**", "a"] * 25) + "/b")
    assert time.monotonic() - began < 5


def test_a_long_list_is_bounded(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(root, "a", "b", "c")
    monkeypatch.setattr(listing, "MAX_LISTED", 2)
    with pytest.raises(listing.TooMany, match="only the first 2 are listed; narrow the pattern"):
        listed(root, "**")
    monkeypatch.setattr(listing, "MAX_VISITED", 1)
    with pytest.raises(listing.TooMany, match="only the first 1 files are visited; name a folder"):
        listed(root, "**")
