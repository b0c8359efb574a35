"""Stores whose files are harmed in every way that a file can be."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Final

from sidecar.corpus.stores import STORES

MB: Final = 1 << 20
_OTHERS: Final = ("projects.json", "settings.json")
_DEPTH: Final = 200_000
_WIDE: Final = b",".join(b'"k%d":1' % number for number in range(400_000))

Harm = Callable[[Path], None]


def replaced(change: Callable[[bytes], bytes]) -> Harm:
    def harm(path: Path) -> None:
        path.write_bytes(change(path.read_bytes()))

    return harm


def _repeated(size: int) -> Harm:
    def harm(path: Path) -> None:
        data = path.read_bytes()
        with path.open("ab") as file:
            for _ in range(size // max(len(data), 1)):
                file.write(data)

    return harm


def sparse(path: Path) -> None:
    with path.open("r+b") as file:
        file.truncate(3 << 30)


def instead(make: Callable[[Path], object]) -> Harm:
    def harm(path: Path) -> None:
        path.unlink()
        make(path)

    return harm


FILES: Final[dict[str, Harm]] = {
    "cut": replaced(lambda data: data[: len(data) * 2 // 3]),
    "empty": replaced(lambda data: b""),
    "padded": replaced(lambda data: data + bytes(32 * MB)),
    "padded in front": replaced(lambda data: bytes(MB) + data),
    "a byte order mark": replaced(lambda data: b"\xef\xbb\xbf" + data),
    "noise inside": replaced(lambda data: data[:200] + os.urandom(5_000) + data[200:]),
    "not UTF-8": replaced(lambda data: data.replace(b"e", b"\xff", 9)),
    "deep": replaced(lambda data: data + b'\n{"type":"user","message":' + b"[" * _DEPTH),
    "deep and closed": replaced(
        lambda data: data + b'\n{"message":' + b'{"a":' * _DEPTH + b"1" + b"}" * _DEPTH + b"}\n"
    ),
    "deep only": replaced(lambda data: b'{"a":[' * _DEPTH),
    "wide": replaced(lambda data: data + b"\n{" + _WIDE + b"}\n"),
    "long numbers": replaced(lambda data: data.replace(b":1", b":1" + b"0" * 5_000)),
    "infinite numbers": replaced(lambda data: data.replace(b":1", b":1e999")),
    "a long line": replaced(
        lambda data: data + b'\n{"type":"user","message":{"content":"' + b"x " * (40 * MB) + b'"}}\n'
    ),
    "an endless line": replaced(lambda data: data + b'\n{"type":"user","text":"' + b"x" * (70 * MB)),
    "endless broken lines": replaced(lambda data: data + b"{\n" * (8 * MB)),
    "repeated": _repeated(30 * MB),
    "sparse": sparse,
    "a link": instead(lambda path: path.symlink_to("/etc/passwd")),
    "a link to itself": instead(lambda path: path.symlink_to(path.name)),
    "a pipe": instead(lambda path: os.mkfifo(path)),
    "a folder": instead(lambda path: path.mkdir()),
    "a device": instead(lambda path: path.symlink_to("/dev/zero")),
}
"""What happens to the file of a session."""


def write_hostile_store(root: Path, product: str) -> set[str]:
    """Write a store and harm files in every way; return the sessions that are in none of these files."""
    root.mkdir(parents=True)
    sound = {truth.id for truth in STORES[product](root, 7, 6)}
    files = sorted(path for path in root.rglob("*.json*") if _is_of_a_session(path))
    for harm, path in zip(FILES.values(), files[:: len(files) // len(FILES)], strict=False):
        text = f"{path} {path.read_text()}"
        sound -= {each for each in sound if each.partition("__")[0] in text}
        harm(path)
    _crowd(files[1].parent, files[1].suffix)
    return sound


def _is_of_a_session(path: Path) -> bool:
    return path.is_file() and path.stat().st_size > 300 and path.name not in _OTHERS


def _crowd(folder: Path, suffix: str) -> None:
    """Put thousands of empty files and a deep chain of folders next to the sessions."""
    for number in range(3_000):
        (folder / f"{number:08x}-0000-4000-8000-000000000000{suffix}").touch()
    deep = folder
    for _ in range(200):
        deep /= "d"
    deep.mkdir(parents=True)
    (folder / "loop").symlink_to(folder, target_is_directory=True)
