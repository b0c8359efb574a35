import os
import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecar.subagents.runners.builtin.tools import files
from sidecar.subagents.runners.builtin.tools.workspace import ToolError, Workspace


def test_lines_have_their_numbers(root: Path) -> None:
    (root / "a").write_bytes(b"one\r\ntwo\nthree")
    assert files.read_lines(root / "a", 1, 10) == "     1\tone\n     2\ttwo\n     3\tthree"
    assert files.read_lines(root / "a", 2, 1) == "     2\ttwo\n[more follows: continue with first_line=3]"
    assert files.read_lines(root / "a", 9, 1) == "[a has no line 9]"


def test_a_part_of_a_huge_file_is_shown(root: Path) -> None:
    (root / "a").write_bytes(b"x" * 99 + b"\n" + (b"y" * 999 + b"\n") * 20_000)
    shown = files.read_lines(root / "a", 1, 20_000)
    assert len(shown) < 2 * files.MAX_SHOWN_BYTES
    assert shown.endswith("]")
    assert "[more follows: continue with first_line=" in shown


def test_a_line_of_fifty_megabytes_is_cut(root: Path) -> None:
    with (root / "a").open("wb") as file:
        file.write(b"x" * (50 << 20) + b"\nend\n")
    first, second = files.read_lines(root / "a", 1, 5).splitlines()
    assert first.endswith("x [cut]")
    assert len(first) < 2_100
    assert second == "     2\tend"


@pytest.mark.parametrize("content", [b"a\0b\n", b"\x7fELF\0\0"])
def test_a_file_that_is_not_text_is_not_read(root: Path, content: bytes) -> None:
    (root / "a").write_bytes(content)
    with pytest.raises(ToolError, match="not text"):
        files.read_lines(root / "a", 1, 5)


def test_a_pipe_does_not_block_the_reader(root: Path) -> None:
    os.mkfifo(root / "pipe")
    with pytest.raises(ToolError, match="not a regular file"):
        files.read_lines(root / "pipe", 1, 5)
    with pytest.raises(ToolError, match="not a regular file"):
        files.read_text(root / "pipe")


def test_a_folder_replaced_by_a_link_at_the_last_moment_is_not_entered(
    workspace: Workspace, root: Path
) -> None:
    (root / "a").mkdir()
    (root / "a" / "secret.txt").write_text("mine")
    known, new, deep = map(workspace.resolve, ("a/secret.txt", "a/new.txt", "a/b/c/new.txt"))
    (root / "a").rename(root / "b")
    (root / "a").symlink_to(root.parent)
    with pytest.raises(ToolError, match="cannot read"):
        files.read_text(known)
    for path in (known, new, deep):
        with pytest.raises(ToolError, match="cannot write"):
            files.write_text(path, "changed")
    assert sorted(path.name for path in root.parent.iterdir()) == ["root", "secret.txt"]
    assert (root.parent / "secret.txt").read_text() == "secret"


def test_a_link_created_at_the_last_moment_is_not_followed(root: Path) -> None:
    (root / "a").symlink_to(root.parent / "secret.txt")
    with pytest.raises(ToolError, match="cannot read"):
        files.read_text(root / "a")
    with pytest.raises(ToolError, match="not a regular file"):
        files.write_text(root / "a", "mine")
    assert (root.parent / "secret.txt").read_text() == "secret"


@pytest.mark.parametrize(("name", "why"), [("gone", "No such file"), (".", "Is a directory|regular file")])
def test_a_file_that_cannot_be_read_is_refused_with_the_reason(root: Path, name: str, why: str) -> None:
    with pytest.raises(ToolError, match=why):
        files.read_text(root / name)


def test_a_file_that_is_too_large_or_not_text_is_not_edited(root: Path) -> None:
    (root / "large").write_bytes(b"x" * (files.MAX_BYTES + 1))
    (root / "latin").write_bytes(b"caf\xe9")
    for name, why in (("large", "larger than 4 MiB"), ("latin", "not UTF-8")):
        with pytest.raises(ToolError, match=why):
            files.read_text(root / name)


def test_writing_keeps_permissions_and_leaves_no_temporary_file(root: Path) -> None:
    script = root / "bin" / "run"
    files.write_text(script, "old")
    script.chmod(0o754)
    files.write_text(script, "new\r\n")
    assert script.read_bytes() == b"new\r\n"
    assert stat.S_IMODE(script.stat().st_mode) == 0o754
    assert [path.name for path in script.parent.iterdir()] == ["run"]


def test_a_failed_write_keeps_the_old_file(root: Path) -> None:
    (root / "a").write_text("old")
    for path, text, why in (
        (root / "a", "half \ud800", "half a surrogate pair"),
        (root / "a" / "b", "x", "cannot write"),
        (root / ("n" * 300), "x", "cannot write"),
    ):
        with pytest.raises(ToolError, match=why):
            files.write_text(path, text)
    assert [path.name for path in root.iterdir()] == ["a"]
    assert (root / "a").read_text() == "old"


@pytest.mark.parametrize(
    ("old", "why"), [("", "is empty"), ("absent", "not in the file"), ("a", "occurs 2 times")]
)
def test_an_ambiguous_replacement_is_refused(old: str, why: str) -> None:
    with pytest.raises(ToolError, match=why):
        files.replaced("a b a", old, "c", everywhere=False)


def test_line_ends_of_another_system_are_kept(root: Path) -> None:
    assert files.replaced("a\r\nb\r\n", "a\nb", "c\nd", everywhere=False) == "c\r\nd\r\n"
    assert files.replaced("a a", "a", "b", everywhere=True) == "b b"


@given(before=st.text(max_size=20), old=st.text(min_size=1, max_size=5), new=st.text(max_size=5))
def test_a_replacement_changes_nothing_else(before: str, old: str, new: str) -> None:
    text = f"{before}\n{old}"
    if text.count(old) == 1 and "\r" not in text + new:
        assert files.replaced(text, old, new, everywhere=False) == f"{before}\n{new}"
