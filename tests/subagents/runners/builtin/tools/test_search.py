import asyncio
import time
from pathlib import Path

import pytest

from sidecar.subagents.runners.builtin.tools import search
from sidecar.subagents.runners.builtin.tools.workspace import ToolError

pytestmark = pytest.mark.usefixtures("programs")

FOR_EVER = r"(a+)+$"


async def find(root: Path, expression: str, files: str = "**", *, ignore_case: bool = False) -> str:
    return await search.search(root, expression, files, ignore_case=ignore_case)


async def test_matching_lines_have_their_path_and_number(root: Path) -> None:
    (root / "src").mkdir()
    (root / "src" / "a.py").write_text("def one():\n    pass\ndef two(): ...\n")
    (root / "b.txt").write_text("a DEF\n")
    (root / "binary").write_bytes(b"def\0")
    (root / "link").symlink_to(root.parent / "secret.txt")
    assert await find(root, r"^def (\w+)") == "src/a.py:1: def one():\nsrc/a.py:3: def two(): ..."
    assert await find(root, "def", "*.txt", ignore_case=True) == "b.txt:1: a DEF"
    assert await find(root, "secret") == "[no match]"


async def test_an_invalid_expression_is_refused_with_the_reason(root: Path) -> None:
    with pytest.raises(ToolError, match="not a regular expression: unterminated"):
        await find(root, "[")


async def test_a_runaway_expression_is_killed(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (root / "a").write_text("a" * 60 + "b\n")
    monkeypatch.setattr(search, "SECONDS", 1.0)
    with pytest.raises(ToolError, match="took longer than 1 s"):
        await find(root, FOR_EVER)


async def test_a_cancelled_search_ends_at_once(root: Path) -> None:
    (root / "a").write_text("a" * 60 + "b\n")
    task = asyncio.create_task(find(root, FOR_EVER))
    await asyncio.wait({task}, timeout=1)
    began = time.monotonic()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert time.monotonic() - began < 1


async def test_matches_are_bounded(root: Path) -> None:
    (root / "a").write_text(f"{'x' * 1000}\n" * 300)
    *found, note = (await find(root, "x")).splitlines()
    assert (len(found), max(map(len, found))) == (search.MAX_MATCHES, 307)
    assert note == "[there may be more: only the first 200 matches are shown; narrow the search]"


async def test_files_are_listed_with_a_note_for_none_and_too_many(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("a.py", "b.py"):
        (root / name).touch()
    assert await search.list_files(root, "*.py") == "a.py\nb.py"
    assert await search.list_files(root, "*.rs") == "[no file fits]"
    for number in range(1_001):
        (root / f"{number}.txt").touch()
    *_, last = (await search.list_files(root, "*.txt")).splitlines()
    assert last == "[there may be more: only the first 1,000 are listed; narrow the pattern]"


async def test_a_file_is_not_a_folder(root: Path) -> None:
    (root / "a").touch()
    for found in (search.list_files(root / "a", "**"), find(root / "a", "x")):
        with pytest.raises(ToolError, match="'a' is not a folder"):
            await found


async def test_malicious_ignore_rules_are_killed(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (root / ".gitignore").write_text(f"{'*a' * 40}b\n")
    (root / ("a" * 200)).touch()
    monkeypatch.setattr(search, "SECONDS", 1.0)
    with pytest.raises(ToolError, match="took longer than 1 s"):
        await search.list_files(root, "**")


async def test_ignored_files_are_neither_listed_nor_searched(root: Path) -> None:
    (root / ".gitignore").write_text("build/\n")
    (root / "build").mkdir()
    (root / "build" / "a.txt").write_text("needle")
    assert await search.list_files(root, "**") == ".gitignore"
    assert await find(root, "needle") == "[no match]"
    assert await find(root / "build", "needle") == "a.txt:1: needle"
