"""What a person enters on a terminal to answer a run."""

from collections.abc import Mapping
from typing import Any

import pytest
from click.testing import CliRunner

from sidecar.api.runs.async_tasks import Attention, AttentionOption
from sidecar.cli.questions.asking import ask
from sidecar.subagents.questions.form import read_form

SCHEMA = read_form(
    {
        "properties": {
            "port": {"type": "integer", "maximum": 9},
            "engine": {"type": "string", "enum": ["a", "b"], "default": "b"},
            "tags": {"type": "array", "items": {"enum": ["x", "y", "z"]}},
            "sure": {"type": "boolean"},
            "note": {"type": "string"},
        },
        "required": ["port"],
    }
)
STRICT = Attention(
    kind="question",
    request_id="r",
    title="t",
    options=[],
    schema=read_form(
        {
            "properties": {
                "branch": {"type": "string", "pattern": "^[a-z/]+$"},
                "ratio": {"type": "number"},
                "tags": {"type": "array", "items": {"enum": ["x", "y"]}},
            }
        }
    ),
)
FORM = Attention(kind="question", request_id="r", title="t", options=[], schema=SCHEMA)
ADDRESS = Attention(kind="question", request_id="r", title="t", options=[], url="https://a.example/")
PERMISSION = Attention(
    kind="permission",
    request_id="r",
    title="t",
    options=[
        AttentionOption(option_id="1", name="Yes", kind="allow_once"),
        AttentionOption(option_id="2", name="No", kind="reject_once"),
    ],
)


@pytest.mark.parametrize(
    ("attention", "entered", "expected"),
    [
        (
            FORM,
            ["", "12", "seven", "7", "", "1, 4", "3,1", "maybe", "no", "", ""],
            {"action": "accept", "content": {"port": 7, "engine": "b", "tags": ["z", "x"], "sure": False}},
        ),
        (FORM, ["7", "1", "", "", "hello", "d"], {"action": "decline"}),
        (FORM, ["7", "", "", "", "", "q"], None),
        (
            STRICT,
            ["A B", "feature/a", "nan", "1e999", "0.5", "2,1,2", ""],
            {"action": "accept", "content": {"branch": "feature/a", "ratio": 0.5, "tags": ["y", "x"]}},
        ),
        (ADDRESS, [""], {"action": "accept"}),
        (ADDRESS, ["x", "d"], {"action": "decline"}),
        (PERMISSION, ["3", "2"], {"optionId": "2"}),
        (PERMISSION, [""], None),
    ],
)
def test_what_is_entered_becomes_the_answer(
    attention: Attention, entered: list[str], expected: Mapping[str, Any] | None
) -> None:
    with CliRunner().isolation(input="\n".join(entered) + "\n"):
        assert ask(attention) == expected
