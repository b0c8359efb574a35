"""Secret values leave no event of a run, whatever their form and wherever two events cut them."""

import json
from typing import Any

import pytest

from sidecar.subagents.equipment.secret_values import SecretFilter, SecretValues

SECRET = 'se"cr\\et\nvalue-é'


def texts(secrets: SecretValues, *events: dict[str, Any]) -> list[dict[str, Any]]:
    filter_ = SecretFilter(secrets)
    return [*(found for event in events for found in filter_.feed(event)), *filter_.finish()]


@pytest.mark.parametrize(
    "shown",
    [
        SECRET,
        json.dumps(SECRET),
        json.dumps(SECRET, ensure_ascii=False),
        json.dumps({"a": json.dumps({"b": SECRET})}),
    ],
)
def test_a_value_is_removed_in_each_form(shown: str) -> None:
    text = SecretValues([SECRET]).without(f"sent {shown}!")
    assert "value-" not in text and "[secret]" in text


@pytest.mark.parametrize("cut", range(1, len("s3cret-s3c")))
def test_a_value_in_two_pieces_of_a_log_is_removed(cut: int) -> None:
    value = "s3cret-s3c"
    log = {"type": "log", "stream": "stderr"}
    message = {"type": "message", "messageId": "1", "text": "hello"}
    first, second = {**log, "text": f"a {value[:cut]}"}, {**log, "text": f"{value[cut:]} b"}
    found = texts(SecretValues([value]), first, message, second)
    assert "".join(each["text"] for each in found if each["type"] == "log") == "a [secret] b"


def test_a_text_that_only_begins_like_a_value_is_kept_in_order() -> None:
    message = {"type": "message", "messageId": "1", "text": "so s3c"}
    tool = {"type": "tool", "name": "read"}
    found = texts(SecretValues(["s3cret-value"]), message, tool)
    assert "".join(each.get("text", "<tool>") for each in found) == "so s3c<tool>"


def test_a_whole_value_at_the_end_of_a_text_that_may_also_begin_one() -> None:
    first, second = ({"type": "log", "stream": "stderr", "text": text} for text in ("abcabc", "xyz"))
    found = texts(SecretValues(["abcabc"]), first, second)
    assert "".join(each["text"] for each in found) == "[secret]xyz"


@pytest.mark.parametrize(
    "event",
    [
        {"type": "plan", "entries": [{"content": "use s3cret-value"}]},
        {"type": "tool", "title": "s3cret-value", "input": {"a": ["s3cret-value"]}},
        {"type": "permission", "title": "curl s3cret-value", "command": "curl s3cret-value"},
        {
            "type": "question",
            "title": "s3cret-value?",
            "schema": {"properties": {"a": {"title": "s3cret-value"}}},
        },
        {"type": "emit", "name": "a", "value": {"b": "s3cret-value"}},
    ],
)
def test_every_event_is_without_values(event: dict[str, Any]) -> None:
    (found,) = texts(SecretValues(["s3cret-value"]), event)
    assert "s3cret" not in json.dumps(found) and found["type"] == event["type"]


def test_without_values_events_pass_unchanged() -> None:
    event = {"type": "log", "stream": "stderr", "text": "a"}
    (found,) = texts(SecretValues(), event)
    assert found is event
