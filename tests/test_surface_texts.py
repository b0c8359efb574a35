"""Terminals and documents use the words and figures of the extension; its tests read the same table."""

import json
from datetime import datetime
from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest

from sidecar.api.runs.async_tasks import (
    AsyncTask,
    EndReason,
    ErrorKind,
    Progress,
    Retrying,
    Waiting,
    WaitReason,
)
from sidecar.figures import ago, dollars, duration
from sidecar.status_words import END_WORDS, ERROR_WORDS, STATUS_WORDS, place_text, status_text, stored_status

TABLE: dict[str, list[Any]] = json.loads((Path(__file__).parent / "surface_texts.json").read_text())


@pytest.mark.parametrize(("text", "state"), TABLE["statuses"])
def test_a_run_is_described_as_in_the_extension(text: str, state: dict[str, Any]) -> None:
    retrying = msgspec.convert(state.pop("retrying", None), Retrying | None)
    progress = Progress(
        last_activity_at=2, retrying=retrying, awaited_servers=state.pop("awaitedServers", None)
    )
    values = {"id": "a", "subagentName": "s", "goalPrompt": "g", "runner": "r", "workspaceDir": "/w"}
    task = msgspec.convert({**values, "progress": msgspec.to_builtins(progress), **state}, AsyncTask)
    assert status_text(task) == text


@pytest.mark.parametrize(("text", "status", "placement"), TABLE["places"])
def test_a_place_is_described_as_in_the_extension(text: str | None, status: str, placement: Any) -> None:
    values: dict[str, Any] = {"status": status, "placement": placement, "progress": {"lastActivityAt": 2}}
    values |= {"id": "a", "subagentName": "s", "goalPrompt": "g", "runner": "r", "workspaceDir": "/w"}
    assert place_text(msgspec.convert(values, AsyncTask)) == text


def test_a_held_run_says_until_when_in_local_time() -> None:
    task = AsyncTask(
        id="a",
        subagent_name="s",
        goal_prompt="g",
        status="queued",
        queue_position=1,
        waiting=Waiting(reason="rateLimit", until=int(datetime(2026, 3, 4, 5, 6, 7).timestamp()) * 1_000),
        progress=Progress(last_activity_at=2),
        runner="r",
        workspace_dir="/w",
    )
    assert status_text(task) == "Queued (next): rate limit reached until 05:06:07"


def test_the_table_has_every_status_end_and_error() -> None:
    texts = {text for text, _ in TABLE["statuses"]}
    assert texts >= {*STATUS_WORDS.values(), *END_WORDS.values()}
    assert texts >= {f"Failed: {ERROR_WORDS[kind]}" for kind in get_args(ErrorKind)}
    assert texts >= {f"Queued (next): {ERROR_WORDS[reason]}" for reason in get_args(WaitReason)}
    assert {*END_WORDS} == {*get_args(EndReason)}
    assert {*ERROR_WORDS} == {*get_args(ErrorKind), *get_args(WaitReason)}


@pytest.mark.parametrize(("text", "status", "outcome"), TABLE["storedStatuses"])
def test_a_stored_task_is_described_as_in_the_extension(text: str, status: Any, outcome: Any) -> None:
    assert stored_status(status, outcome) == text


@pytest.mark.parametrize(("text", "cost"), TABLE["dollars"])
def test_costs_are_formatted_as_in_the_extension(text: str, cost: float) -> None:
    assert dollars(cost) == text


@pytest.mark.parametrize(("text", "ms"), TABLE["durations"])
def test_durations_are_formatted_as_in_the_extension(text: str, ms: int) -> None:
    assert duration(ms) == text


@pytest.mark.parametrize(("text", "passed"), TABLE["ages"])
def test_ages_are_formatted_as_in_the_extension(text: str, passed: int) -> None:
    assert ago(passed) == text
