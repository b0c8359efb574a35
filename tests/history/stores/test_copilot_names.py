"""The names in `workspace.yaml` of Copilot CLI, whatever the file holds."""

import pytest

from sidecar.history.stores.copilot.names import parse_workspace


def test_the_texts_at_the_top_are_read() -> None:
    data = b"id: 1\nname: 'A: b'\nuser_named: true\nsummary: |-\n  two\n  lines\n"
    data += b"more:\n  name: inner\ncwd: /w/\xc3\xbc\n"
    texts = {"id": "1", "name": "A: b", "user_named": "true", "summary": "two\nlines", "cwd": "/w/ü"}
    assert parse_workspace(data) == texts


@pytest.mark.parametrize("start", [b"", b"name: "])
@pytest.mark.parametrize("level", [b"[", b"{a: ", b"- ", b"? "])
def test_deep_values_are_ignored_and_do_not_end_the_process(start: bytes, level: bytes) -> None:
    assert parse_workspace(start + level * 60_000) == {}


@pytest.mark.parametrize(
    "data", [b"", b"\0\0", b"text", b"- a", b"a: [", b"? [a]\n: b", b"&a [*a]", b"a: [*b", b"\xff: \x01"]
)
def test_other_content_has_no_texts(data: bytes) -> None:
    assert parse_workspace(data) == {}


def test_references_are_not_followed() -> None:
    assert parse_workspace(b"a: &a [x, x]\nb: &b [*a, *a]\nname: *b\ncwd: /w\n") == {"cwd": "/w"}
