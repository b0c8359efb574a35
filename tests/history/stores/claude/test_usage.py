"""The tokens of a session of Claude Code, also from figures that contradict each other."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from sidecar.history import TaskHistory
from tests.history.conftest import NOW
from tests.history.stores.fixtures.one_session import write_session


def write_answers(root: Path, *used: Mapping[str, object]) -> None:
    path = write_session(root)
    with path.open("a") as file:
        for number, usage in enumerate(used):
            record = {
                "type": "assistant",
                "uuid": f"a{number}",
                "timestamp": "2026-04-15T11:00:01.000Z",
                "message": {
                    "id": f"m{number}",
                    "model": f"claude-{number % 2}",
                    "content": [{"type": "text", "text": "Done"}],
                    "usage": {"input_tokens": 3, "output_tokens": 5, **usage},
                },
            }
            file.write(json.dumps(record) + "\n")


@pytest.mark.parametrize(
    ("written", "long", "known"), [(100, 500, 100), (100, 40, 40), (0, 500, 0), (None, 500, 0), (100, -3, 0)]
)
def test_what_a_cache_holds_for_an_hour_is_never_more_than_was_written(
    tmp_path: Path, written: int | None, long: int, known: int
) -> None:
    bad = {"cache_creation_input_tokens": written, "cache_creation": {"ephemeral_1h_input_tokens": long}}
    good = {"cache_creation_input_tokens": 1_000, "cache_creation": {"ephemeral_1h_input_tokens": 7}}
    write_answers(tmp_path, bad, good)
    (task,) = TaskHistory([tmp_path], now=lambda: NOW).list()
    usage = task.token_usage
    assert usage is not None and usage.by_model is not None
    assert usage.cache_writes == 1_000 + (written or 0)
    assert usage.long_cache_writes == 7 + known
    assert [each.long_cache_writes for each in usage.by_model] == [known or None, 7]
