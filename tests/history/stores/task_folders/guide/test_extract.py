import json
import math
import sys
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sidecar.api.stored.tasks import Mode, TaskInfo
from sidecar.history.stores.task_folders.guide import extract as guide
from sidecar.history.stores.task_folders.ids import is_uuid

NOW = 1_776_254_400_000
UI = b'[{"ts":1776200000000,"text":"hi"}]'
API = b'[{"role":"user","content":"<task>hi</task>","ts":1776200060000}]'


def api(content: object) -> bytes:
    return json.dumps([{"role": "user", "content": content, "ts": 1_776_200_060_000}]).encode()


def task(name: str, created_at: float) -> TaskInfo:
    return TaskInfo(
        id=name,
        title="",
        status="unknown",
        created_at=created_at,
        mode=Mode(),
        outcome="unknown",
        root="",
        product="roo",
        size_bytes=0,
        problems=[],
    )


def test_a_plain_task_is_read() -> None:
    assert guide.extract("id", UI, API, NOW) == guide.GuideFields(
        created_at=1_776_200_000_000,
        last_activity=1_776_200_060_000,
        status="active",
        title="hi",
        mode_current=None,
        mode_name=None,
        tokens_total=0,
        cost=0,
        message_count=1,
        duration=None,
        workspace_dir=None,
    )


def test_empty_files_make_a_task_of_now() -> None:
    found = guide.extract("id", b"[]", b"[]", NOW)
    assert found is not None
    assert (found.created_at, found.last_activity, found.title) == (NOW, NOW, "Untitled Task")


@pytest.mark.parametrize("data", [b"", b"null", b"0", b'""', b"{}", b"7", b"[", b"\xef\xbb\xbf[]", b"[NaN]"])
def test_a_task_with_an_unusable_file_is_dropped(data: bytes) -> None:
    assert guide.extract("id", data, API, NOW) is None
    assert guide.extract("id", UI, data, NOW) is None


@pytest.mark.parametrize("spelling", ["plain", "escaped"])
def test_usage_and_mode_are_found_however_the_file_spells_them(spelling: str) -> None:
    text = '"tokensIn":1,"tokensOut":2,"cost":0.5 <slug>ask</slug> <name>Ask</name>'
    data = api([{"type": "text", "text": text}])
    if spelling == "escaped":
        data = data.replace(b"<slug>", b"\\u003cslug>").replace(b"tokensIn", b"token\\u0073In")
    found = guide.extract("id", UI, data, NOW)
    assert found is not None
    assert (found.mode_current, found.tokens_total, found.cost) == ("ask", 3, 0.5)


@pytest.mark.parametrize("role", ["user", "assistant"])
def test_a_content_without_match_drops_a_task_in_which_nothing_else_is_sought(role: str) -> None:
    data = json.dumps([{"role": "user", "content": "<task>hi</task>"}, {"role": role, "content": 5}]).encode()
    assert guide.extract("id", UI, data, NOW) is None


def test_usage_mode_and_workspace_come_from_the_api_history() -> None:
    text = '"tokensIn":10,"tokensOut":5,"cost":0.125 <slug>code</slug> <name>Code</name> '
    found = guide.extract("id", UI, api([{"text": text + "Current Workspace Directory (/w)"}]), NOW)
    assert found is not None
    assert (found.tokens_total, found.cost, type(found.tokens_total)) == (15, 0.13, int)
    assert (found.mode_current, found.mode_name, found.workspace_dir) == ("code", "Code", "/w")


@pytest.mark.parametrize("ts", ['"garbage"', "8.65e15", "{}", '"1770482470358"'])
def test_a_time_that_is_not_a_date_is_nan(ts: str) -> None:
    found = guide.extract("id", f'[{{"ts":{ts}}},{{"ts":1}}]'.encode(), API, NOW)
    assert found is not None and math.isnan(found.created_at)


def test_a_title_is_cut_in_the_middle_of_a_pair() -> None:
    found = guide.extract("id", UI, api("x" * 96 + "😀" * 10), NOW)
    assert found is not None and found.title == "x" * 96 + "\ud83d..."


@pytest.mark.parametrize(
    ("age_hours", "status"), [(23.9, "active"), (24, "unknown"), (168, "unknown"), (168.1, "abandoned")]
)
def test_a_wordless_task_is_judged_by_its_age(age_hours: float, status: str) -> None:
    last = json.dumps(
        [{"role": "assistant", "content": "quiet", "ts": NOW - int(age_hours * 3_600_000)}]
    ).encode()
    found = guide.extract("id", b"[]", last, NOW)
    assert found is not None and found.status == status


def test_a_word_that_a_later_key_replaces_does_not_count() -> None:
    found = guide.extract("id", b'[{"ts":1,"text":"task completed","text":"no error","text":""}]', API, NOW)
    assert found is not None and found.status == "active"


def test_a_word_is_found_behind_any_number_of_replaced_ones() -> None:
    replaced = b'{"text":"error","text":""},' * 50
    found = guide.extract("id", b"[" + replaced + b'{"isError":1,"ts":1}]', API, NOW)
    assert found is not None and (found.status, found.duration) == ("failed", 1_776_200_060_000 - NOW)


HOSTILE: dict[str, Callable[[int], bytes]] = {
    "unclosed": lambda size: b"[" * size,
    "deep": lambda size: b"[" + b"[" * 1500 + b"]" * 1500 + b',{"a":1}' * (size // 8) + b"]",
    "slugs": lambda size: b'[{"role":"user","content":"' + b"<slug>a</slug>" * (size // 14) + b'"}]',
    "lone": lambda size: b'[{"role":"user","content":"' + b"\\ud83d" * (size // 6) + b'"}]',
    "words": lambda size: b'[{"ts":"' + b"a " * (size // 2) + b'"}]',
    "digits": lambda size: b'[{"ts":' + b"9" * size + b"}]",
    "replaced": lambda size: b"[" + b'{"a":"error","a":1},' * (size // 20) + b"1]",
    "bytes": lambda size: b"\xff" * size,
}


@pytest.mark.slow
@pytest.mark.timeout(60)
@pytest.mark.parametrize("kind", HOSTILE)
def test_a_hostile_megabyte_is_judged(kind: str) -> None:
    hostile = HOSTILE[kind](900_000)
    guide.extract("id", hostile, API, NOW)
    guide.extract("id", UI, hostile, NOW)


@pytest.mark.parametrize("kind", HOSTILE)
def test_the_steps_for_a_hostile_file_grow_no_faster_than_its_size(kind: str) -> None:
    small, large = (HOSTILE[kind](size) for size in (20_000, 80_000))
    steps(small)  # imports and compiles what the first call needs
    assert steps(large) <= 5 * steps(small)


def steps(hostile: bytes) -> int:
    """Return how many lines of Python are executed to judge a file in both places."""
    count = 0

    def trace(frame: object, event: str, argument: object) -> Any:
        nonlocal count
        count += 1
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        guide.extract("id", hostile, API, NOW)
        guide.extract("id", UI, hostile, NOW)
    finally:
        sys.settrace(before)
    return count


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=60), st.binary(max_size=60))
def test_no_bytes_raise(ui: bytes, api_bytes: bytes) -> None:
    guide.extract("id", b"[" + ui + b"]", b"[" + api_bytes + b"]", NOW)
    guide.extract("id", ui, api_bytes, NOW)


@pytest.mark.parametrize(
    "name", ["0190a0b0-c1d2-7e3f-8a4b-5c6d7e8f9a0b", "0190A0B0-C1D2-7E3F-8A4B-5C6D7E8F9A0B"]
)
def test_a_uuid_of_any_version_and_case_names_a_task(name: str) -> None:
    assert is_uuid(name)
    assert not is_uuid(name + "\n") and not is_uuid(name[:-1] + "g")


@pytest.mark.parametrize("name", ["1770482470358", "_index.json", "", "٠190a0b0-c1d2-7e3f-8a4b-5c6d7e8f9a0b"])
def test_other_names_are_not_tasks(name: str) -> None:
    assert not is_uuid(name)


def test_tasks_are_ordered_newest_first_and_equal_ones_by_name_in_byte_order() -> None:
    tasks = [task("b", 5), task("a", 5), task("A", 5), task("z", 9)]
    assert [one.id for one in guide.sort(tasks)] == ["z", "A", "a", "b"]


def test_an_invalid_date_stays_where_its_name_puts_it() -> None:
    tasks = [task("a", 1), task("b", math.nan), task("c", 2)]
    assert [one.id for one in guide.sort(tasks)] == ["a", "b", "c"]
