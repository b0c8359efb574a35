"""A file that is not valid JSON has a problem, whatever can be read of it; a valid one has none."""

from random import Random

import pytest

from sidecar.history.stored.reading import StoredFile
from sidecar.history.stores.task_folders.files import ITEM_FILE, UI_FILE, TaskFiles
from sidecar.history.stores.task_folders.records import api_parser, ui_parser
from sidecar.history.stores.task_folders.rules import read_row
from sidecar.history.stores.task_folders.structural.view import TaskSource
from tests.history.conftest import NOW, TASK_ID, Store
from tests.history.damage.json_mutations import SOUND, mutated, parsed_strictly

NOT_JSON = {"malformed", "cut", "strayTail", "notMessages", "padding", "byteOrderMark"}
REFUSED = {
    "a raw control character": b'[{"ts":1,"text":"a\x01b"}]',
    "zero bytes in a text": b'[{"ts":1,"text":"a' + b"\0" * 512 + b'b"}]',
    "a raw line end in a member nobody reads": b'[{"ts":1,"other":"a\nb"}]',
    "a control character in a name": b'[{"ts":1,"a\x02":1}]',
    "two commas": b'[{"ts":1},,{"ts":2}]',
    "a comma at the end": b'[{"ts":1},]',
    "a comma at the end of an object": b'[{"ts":1,}]',
    "commas only": b"[,]",
    "a wrong closing bracket": b'[{"ts":1}}',
    "not a number": b'[{"ts":NaN}]',
    "infinity": b'[{"ts":1,"other":-Infinity}]',
    "single quotes": b"[{'ts':1}]",
    "a form feed between values": b'[\x0c{"ts":1}]',
    "a vertical tab at the end": b'[{"ts":1}\x0b]',
    "a leading zero": b'[{"ts":01}]',
    "a comment": b'[{"ts":1}/* x */]',
    "an object around the messages that is not closed": b'{"version":2,"messages":[{"ts":1}]',
}
ACCEPTED = {
    "half a character": rb'[{"ts":1,"text":"\ud83d"}]',
    "a number out of range": b'[{"ts":1e400,"other":-1e400}]',
    "a long number": b'[{"ts":1,"other":' + b"9" * 5_000 + b"}]",
    "deep arrays": b'[{"ts":1,"other":' + b"[" * 3_000 + b"]" * 3_000 + b"}]",
    "deeper objects": b'[{"ts":1,"text":' + b'{"a":' * 50_000 + b"1" + b"}" * 50_000 + b"}]",
    "a name twice": b'[{"ts":1,"ts":2}]',
    "white space": b' \t\r\n[ {"ts" : 1 } ]\n',
    "the delete character": b'[{"ts":1,"text":"\x7f"}]',
    "separators of lines": '[{"ts":1,"text":"\u2028\u2029\u0085"}]'.encode(),
}


def codes(data: bytes) -> set[str]:
    found = [parser.parse(data, "file").problems for parser in (ui_parser, api_parser)]
    ours, others = ({each.code for each in problems} for problems in found)
    assert ours == others
    return ours


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_not_json_has_a_problem(name: str) -> None:
    assert codes(REFUSED[name]) & NOT_JSON


@pytest.mark.parametrize("name", ACCEPTED)
def test_what_javascript_reads_has_none(name: str) -> None:
    assert codes(ACCEPTED[name]) == set()


def test_a_deep_message_keeps_the_members_next_to_the_deep_one() -> None:
    (message,) = ui_parser.parse(ACCEPTED["deep arrays"][:-2] + b',"say":"text"}]', "file").records
    assert (message.ts, message.say) == (1, "text")


def test_deep_nesting_that_is_not_closed_is_reported() -> None:
    assert codes(b'[{"ts":1,"other":' + b"[" * 3_000 + b"]" * 2_999 + b"}]") & NOT_JSON
    assert codes(b'[{"ts":1,"other":' + b"[" * 3_000 + b"x" + b"]" * 3_000 + b"}]") == {"malformed"}


def test_mutations_have_a_problem_if_and_only_if_they_are_not_json() -> None:
    for seed in range(4_000):
        data = mutated(Random(seed))
        try:
            value = parsed_strictly(data)
        except ValueError:
            assert codes(data) & NOT_JSON, data
            continue
        if isinstance(value, list) and all(isinstance(each, dict) for each in value):
            assert codes(data) <= {"badUtf8"}, data


@pytest.mark.parametrize("data", SOUND)
def test_sound_files_have_no_problem(data: bytes) -> None:
    assert codes(data) == set()


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        (b'{"task":"a\x01b","ts":5}', {"malformed"}),
        (b'{"task":"a","ts":NaN}', {"malformed"}),
        (b'{"task":"a","ts":5,}', {"malformed"}),
        (b'\xef\xbb\xbf{"task":"a"}', {"byteOrderMark"}),
        (b'{"task":"a"}\0\0', {"padding"}),
        (b'{"task":"\xff"}', {"badUtf8"}),
        (b'{"task":"a","ts":1e400}', set()),
        (rb'{"task":"\ud83d"}', set()),
    ],
)
def test_a_list_entry_that_is_not_json_has_a_problem(entry: bytes, expected: set[str]) -> None:
    files = TaskFiles(
        ui=StoredFile(UI_FILE, SOUND[0], (1, 1, 1, 1)), item=StoredFile(ITEM_FILE, entry, (1, 1, 1, 1))
    )
    row = read_row(TaskSource(TASK_ID, "/root", None, files, None, None, NOW), "structural")
    assert row.info is not None
    assert {each.code for each in row.info.problems} == expected


def test_metadata_that_is_not_json_has_a_problem(store: Store) -> None:
    store.write(ui=SOUND[0], api=[], task_id="1776200000000", task_metadata={})
    assert store.task("1776200000000").problems == []
    path = store.path / "tasks" / "1776200000000" / "task_metadata.json"
    path.write_bytes(b'{"files_in_context":[],"model_usage":[],}')
    assert [each.code for each in store.task("1776200000000").problems] == ["malformed"]
