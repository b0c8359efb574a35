"""Where the Host of a root listens, and which addresses a client trusts."""

import os
import stat
from pathlib import Path

import pytest

from sidecar.host.attach import address

MAX_PATH_BYTES = 100


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_the_socket_is_in_a_private_folder_of_the_runtime_directory(root: Path) -> None:
    path = Path(address.socket_path(str(root)))
    assert path.parent == root.parent / "run" / "subagent-sidecar"
    assert mode(path.parent) == 0o700


def test_a_root_has_one_address_by_whatever_path(root: Path) -> None:
    (root.parent / "link").symlink_to(root)
    long = root.parent / ("x" * 200) / ("y" * 200)
    long.mkdir(parents=True)
    usual = address.socket_path(str(root))
    assert address.socket_path(str(root.parent / "link")) == usual
    assert address.socket_path(f"{root}/../root/") == usual
    assert address.socket_path(str(long)) != usual
    assert len(os.fsencode(address.socket_path(str(long)))) <= MAX_PATH_BYTES


@pytest.mark.parametrize("runtime", ["", "relative", "/nonexistent/run"])
def test_without_a_runtime_directory_the_socket_is_in_the_temporary_one(
    root: Path, monkeypatch: pytest.MonkeyPatch, runtime: str
) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", runtime)
    folder = Path(address.socket_path(str(root))).parent
    assert folder == root.parent / "tmp" / f"subagent-sidecar-{os.getuid()}"
    assert mode(folder) == 0o700


def test_a_path_that_is_too_long_for_a_socket_is_not_used(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    deep = root.parent / ("d" * 100)
    deep.mkdir()
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(deep))
    path = address.socket_path(str(root))
    assert path.startswith(str(root.parent / "tmp"))
    assert len(os.fsencode(path)) <= MAX_PATH_BYTES


def test_a_folder_on_a_read_only_file_system_is_not_used(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    usual = Path(address.socket_path(str(root))).parent
    monkeypatch.setattr(os, "access", lambda path, mode: Path(path) != usual)
    assert address.socket_path(str(root)).startswith(str(root.parent / "tmp"))


def test_a_folder_that_others_can_enter_is_made_private(root: Path) -> None:
    folder = root.parent / "run" / "subagent-sidecar"
    folder.mkdir()
    folder.chmod(0o777)
    address.socket_path(str(root))
    assert mode(folder) == 0o700


@pytest.mark.parametrize("kind", ["link", "file"])
def test_a_folder_that_somebody_replaced_is_not_used(root: Path, kind: str) -> None:
    folder = root.parent / "run" / "subagent-sidecar"
    if kind == "link":
        folder.symlink_to(root.parent / "tmp")
    else:
        folder.touch()
    assert Path(address.socket_path(str(root))).parent != folder


def test_a_folder_of_another_user_is_not_used(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = os.getuid() + 54_321
    monkeypatch.setattr(os, "getuid", lambda: other)
    try:
        with pytest.raises(address.NoAddress, match="it belongs to another user"):
            address.socket_path(str(root))
    finally:
        Path(f"/tmp/subagent-sidecar-{other}").rmdir()  # as in the code under test


def test_where_no_folder_can_be_used_the_error_says_what_to_do(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(address, "_MAX_PATH_BYTES", 5)
    with pytest.raises(address.NoAddress, match=r"the path is too long.*set XDG_RUNTIME_DIR"):
        address.socket_path(str(root))


def test_the_file_in_the_root_comes_before_the_usual_address(root: Path) -> None:
    usual = address.socket_path(str(root))
    assert list(address.known_sockets(str(root))) == [usual]
    address.write_pointer(str(root), usual)
    assert list(address.known_sockets(str(root))) == [usual]
    address.write_pointer(str(root), "/elsewhere/x.sock")
    assert list(address.known_sockets(str(root))) == ["/elsewhere/x.sock", usual]
    assert mode(root / address.POINTER) == 0o600
    assert [path.name for path in root.iterdir()] == [address.POINTER]


@pytest.mark.parametrize("garbage", [b"", b"relative.sock", b"/a\0b", b"\xff\xfe"])
def test_a_file_that_names_no_socket_is_ignored(root: Path, garbage: bytes) -> None:
    (root / address.POINTER).write_bytes(garbage)
    assert list(address.known_sockets(str(root))) == [address.socket_path(str(root))]


def test_a_link_a_folder_and_a_pipe_in_place_of_the_file_are_ignored(root: Path) -> None:
    usual, pointer = [address.socket_path(str(root))], root / address.POINTER
    (root / "other").write_text("/elsewhere/x.sock")
    pointer.symlink_to(root / "other")
    assert list(address.known_sockets(str(root))) == usual
    pointer.unlink()
    pointer.mkdir()
    assert list(address.known_sockets(str(root))) == usual
    pointer.rmdir()
    os.mkfifo(pointer)
    assert list(address.known_sockets(str(root))) == usual
