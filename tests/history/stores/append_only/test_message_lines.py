"""Messages of growing files are counted once and paged from any index."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from sidecar.api.errors import StorageError
from sidecar.api.stored.tasks import StoredMessage
from sidecar.history.stored import complexity
from sidecar.history.stores.append_only.message_lines import MessagePlaces


class Render:
    """Make as many messages of a line as it says, and count the lines."""

    def __init__(self) -> None:
        self.lines = 0

    def __call__(self, line: bytes) -> Sequence[StoredMessage]:
        self.lines += 1
        value = json.loads(line)
        texts = [f"{value['text']}.{part}" for part in range(value["parts"])]
        return [StoredMessage(index=0, role="user", kind="text", text=text) for text in texts]


def write(path: Path, numbers: range, parts: int = 1, mode: str = "w") -> None:
    with path.open(mode) as file:
        file.writelines(json.dumps({"text": number, "parts": parts}) + "\n" for number in numbers)


def texts(places: MessagePlaces, paths: list[Path], start: int, end: int) -> list[str | None]:
    with places.open("key", [str(path) for path in paths], Render) as messages:
        found = messages.read(start, end)
    assert [each.index for each in found] == list(range(start, start + len(found)))
    return [each.text for each in found]


@pytest.mark.parametrize("parts", [1, 3])
def test_pages_of_two_files_follow_each_other(tmp_path: Path, parts: int) -> None:
    paths = [tmp_path / "one", tmp_path / "two"]
    write(paths[0], range(100), parts)
    write(paths[1], range(100, 250), parts)
    places = MessagePlaces()
    whole = [f"{number}.{part}" for number in range(250) for part in range(parts)]
    for start, end in [(0, 5), (95 * parts, 105 * parts), (len(whole) - 3, len(whole) + 9), (63, 66)]:
        assert texts(places, paths, start, end) == whole[start:end]
    assert texts(places, paths, len(whole), len(whole) + 5) == []


def test_only_appended_lines_are_counted_again(tmp_path: Path) -> None:
    path, places, renders = tmp_path / "one", MessagePlaces(), [Render()]
    write(path, range(300))
    for total, lines in ((300, 300), (300, 0), (301, 1)):
        if total > 300:
            write(path, range(1), mode="a")
        renders[0].lines = 0
        with places.open("key", [str(path)], lambda: renders[0]) as messages:
            assert (messages.total, renders[0].lines) == (total, lines)


def test_a_replaced_file_is_counted_again(tmp_path: Path) -> None:
    path, places = tmp_path / "one", MessagePlaces()
    write(path, range(10))
    assert len(texts(places, [path], 0, 99)) == 10
    write(path, range(20, 23))
    assert texts(places, [path], 0, 99) == ["20.0", "21.0", "22.0"]


def test_a_missing_session_has_no_messages_and_an_unreadable_one_says_why(tmp_path: Path) -> None:
    assert texts(MessagePlaces(), [tmp_path / "none"], 0, 9) == []
    with pytest.raises(StorageError, match="not a regular file"):
        texts(MessagePlaces(), [tmp_path], 0, 9)


def number_of(line: bytes) -> object:
    return json.loads(line)["text"]


def test_lines_that_an_earlier_file_has_too_are_left_out(tmp_path: Path) -> None:
    paths = [tmp_path / "one", tmp_path / "two"]
    write(paths[0], range(150))
    write(paths[1], range(100, 250))
    places, named = MessagePlaces(), [str(path) for path in paths]

    def seen(start: int, end: int) -> list[str | None]:
        with places.open("key", named, Render, number_of) as messages:
            return [str(each.text).removesuffix(".0") for each in messages.read(start, end)]

    assert seen(0, 999) == [*map(str, range(250))]
    assert seen(148, 152) == ["148", "149", "150", "151"]
    assert seen(230, 232) == ["230", "231"]
    write(paths[1], range(5), mode="a")
    write(paths[1], range(250, 252), mode="a")
    assert seen(249, 999) == ["249", "250", "251"]
    paths[0].unlink()
    assert seen(0, 999) == [*map(str, range(100, 250)), *map(str, range(5)), "250", "251"]


def test_a_record_that_would_take_gigabytes_is_named_and_not_rendered(tmp_path: Path) -> None:
    path = tmp_path / "one"
    path.write_bytes(b'{"text": [' + b"[]," * 3_000_000 + b'[]], "parts": 1}\n')
    write(path, range(1), mode="a")
    assert texts(MessagePlaces(), [path], 0, 5) == [
        "This record of 9,000,026 bytes has too many parts to show.",
        "0.0",
    ]


def test_a_record_whose_text_would_take_too_much_memory_is_named_and_not_rendered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(complexity, "MAX_TEXT", 1_000)
    path = tmp_path / "one"
    path.write_text(json.dumps({"text": "x" * 400, "parts": 1}) + "\n")
    with path.open("a") as file:
        file.write(json.dumps({"text": "x" * 400 + "😀", "parts": 1}, ensure_ascii=False) + "\n")
    assert texts(MessagePlaces(), [path], 0, 5) == [
        "x" * 400 + ".0",
        "This record of 428 bytes is too large to show.",
    ]
