"""Reading in gemini's record of a session whether its model's last answer was cut."""

import json
from pathlib import Path
from typing import Any

import pytest

from sidecar.subagents.runners.acp.agents.gemini_record import is_truncated

Json = dict[str, Any]
SESSION = "7bc34bd6-eb6c-4133-8012-933ad26241ae"
PROMPT: Json = {"id": "p", "type": "user", "content": [{"text": "do it"}]}
RESULT: Json = {"id": "r", "type": "user", "content": [{"functionResponse": {"id": "c"}}]}
CALL: Json = {"id": "c", "type": "gemini", "content": "", "toolCalls": [{"id": "c"}]}
SET: Json = {"$set": {"lastUpdated": "now"}}


def answer(number: str, taken: int | None) -> Json:
    tokens = None if taken is None else {"input": taken, "output": 7}
    return {"id": number, "type": "gemini", "content": "x", "tokens": tokens}


def reply(counted: int) -> Json:
    return {"_meta": {"quota": {"token_count": {"input_tokens": counted, "output_tokens": 7}}}}


def recorded(home: Path, *records: Json) -> None:
    folder = home / ".gemini" / "tmp" / "project" / "chats"
    folder.mkdir(parents=True)
    lines = [json.dumps(each) for each in records]
    (folder / f"session-2026-11-22T22-00-{SESSION[:8]}.jsonl").write_text("\n".join([*lines, "{torn"]))


@pytest.mark.parametrize(
    ("records", "counted", "is_cut"),
    [
        ([PROMPT, answer("1", 100), CALL, RESULT, answer("2", None)], 100, True),
        ([PROMPT, answer("1", 100), CALL, RESULT, answer("2", 120), SET], 100, True),
        ([PROMPT, answer("1", 100), CALL, RESULT, answer("2", 120)], 220, False),
        (
            [answer("0", 50), PROMPT, answer("1", 100), answer("1", 100), CALL, RESULT, answer("2", 120)],
            220,
            False,
        ),
        ([PROMPT, answer("0", None), answer("1", 100)], 100, False),
        ([PROMPT, answer("1", 100), CALL, RESULT], 100, False),
        ([PROMPT, answer("1", None)], 0, False),
        ([PROMPT, answer("1", 100)], 77, False),
        ([], 100, False),
    ],
)
@pytest.mark.parametrize("variable", ["HOME", "GEMINI_CLI_HOME"])
def test_an_answer_that_the_reply_does_not_count_was_cut(
    tmp_path: Path, records: list[Json], counted: int, is_cut: bool, variable: str
) -> None:
    recorded(tmp_path, *records)
    assert is_truncated({"HOME": "/nowhere", variable: str(tmp_path)}, SESSION, reply(counted)) is is_cut


def test_without_a_record_no_answer_counts_as_truncated(tmp_path: Path) -> None:
    assert not is_truncated({"HOME": str(tmp_path)}, SESSION, reply(100))
    assert not is_truncated({"HOME": str(tmp_path)}, "*", reply(100))
