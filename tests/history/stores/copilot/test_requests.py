"""Versions that record the usage of each request: live, killed, resumed, forked and compacted sessions.

The records have the form in which Copilot CLI 1.0.102 itself wrote them.
"""

import json
from pathlib import Path
from typing import Any

from sidecar.api.stored.tasks import TaskInfo
from sidecar.history import TaskHistory
from tests.history.conftest import NOW

Event = dict[str, Any]
OWN, OTHER = "60146cb2-4ef0-4786-a6e5-b18629cf29f2", "b359062d-5057-4e21-beb5-bbb1da3d3ee3"
START_MS = 1_776_247_200_000


def time(second: int) -> str:
    return f"2026-04-15T10:{second // 60:02}:{second % 60:02}.000Z"


def event(second: int, kind: str, **data: Any) -> Event:
    return {"type": kind, "data": data, "id": f"{kind}-{second}", "timestamp": time(second)}


def start(second: int = 0, key: str = OWN) -> Event:
    return event(second, "session.start", sessionId=key, startTime=time(second), context={"cwd": "/w"})


def tokens(given: int) -> dict[str, int]:
    """Return a usage with cached tokens of which `given` are the other ones."""
    cached = {"cacheReadTokens": 20, "cacheWriteTokens": 10}
    return {"inputTokens": given + 30, "outputTokens": given // 10, **cached}


def turn(second: int, given: int, prompt: str = "Do it") -> list[Event]:
    return [
        event(second, "user.message", content=prompt),
        event(second + 1, "session.usage_record", usage={"model": "m", **tokens(given)}),
        event(second + 2, "assistant.message", messageId=f"m{second}", model="m", content="Done."),
    ]


def shutdown(second: int, *given: int, started: int = 0) -> Event:
    """Return the end of a process that made requests, and of all that ran before it in its session."""
    used = [tokens(each) for each in given]
    summed = {name: sum(each[name] for each in used) for name in tokens(0)}
    metrics = {"m": {"requests": {"count": len(given)}, "usage": summed}}
    began = {"sessionStartTime": START_MS + 1_000 * started}
    return event(second, "session.shutdown", shutdownType="routine", modelMetrics=metrics, **began)


def row(root: Path, *events: Event, key: str = OWN) -> TaskInfo:
    folder = root / "session-state" / key
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "events.jsonl").write_text("".join(json.dumps(each) + "\n" for each in events))
    return next(each for each in TaskHistory([root], now=lambda: NOW).list() if each.id == key)


def counted(task: TaskInfo) -> tuple[float | None, ...]:
    usage = task.token_usage
    assert usage is not None
    return task.message_count, usage.input, usage.output, usage.cache_reads, usage.cache_writes


def test_the_tokens_of_a_live_session_are_known_after_each_answer(tmp_path: Path) -> None:
    ended = [start(), *turn(1, 1_000), shutdown(9, 1_000)]
    live = [*ended, event(10, "session.resume"), *turn(11, 500)]
    assert counted(row(tmp_path, *live)) == (4, 1_500, 150, 40, 20)


def test_the_end_of_a_process_includes_the_one_that_was_killed_before_it(tmp_path: Path) -> None:
    killed = [start(), *turn(1, 1_000)]
    assert counted(row(tmp_path, *killed)) == (2, 1_000, 100, 20, 10)
    resumed = [*killed, event(10, "session.resume"), *turn(11, 500), shutdown(20, 1_000, 500)]
    assert counted(row(tmp_path, *resumed)) == (4, 1_500, 150, 40, 20)


def test_a_run_of_a_former_version_counts_besides(tmp_path: Path) -> None:
    former = [
        start(),
        event(1, "user.message", content="Do it"),
        event(2, "assistant.message", messageId="a", model="m", outputTokens=70),
    ]
    ended = shutdown(3, 700)
    again = [event(10, "session.resume"), *turn(11, 500)]
    assert counted(row(tmp_path, *former, ended, *again)) == (4, 1_200, 120, 40, 20)
    for end in ([], [shutdown(20, 500)]):
        unknown = row(tmp_path, *former, *again, *end)
        assert unknown.token_usage is not None
        assert (unknown.token_usage.input, unknown.token_usage.output) == (None, 120)


def test_a_process_without_requests_adds_nothing(tmp_path: Path) -> None:
    idle = [event(30, "session.resume"), shutdown(31, 1_000)]
    assert counted(row(tmp_path, start(), *turn(1, 1_000), shutdown(9, 1_000), *idle))[1] == 1_000
    former = event(2, "assistant.message", messageId="a", model="m", outputTokens=100)
    asked = event(1, "user.message", content="Do it")
    assert counted(row(tmp_path, start(), asked, former, shutdown(9, 1_000), *idle))[1] == 1_000


def test_two_processes_at_once_each_count_their_requests(tmp_path: Path) -> None:
    first = [start(), *turn(1, 1_000), event(10, "session.resume"), *turn(11, 500)]
    assert counted(row(tmp_path, *first, shutdown(20, 1_000)))[1] == 1_500
    assert counted(row(tmp_path, *first, shutdown(20, 1_000), shutdown(21, 500)))[1] == 1_500


def test_an_end_without_figures_discards_nothing(tmp_path: Path) -> None:
    assert counted(row(tmp_path, start(), *turn(1, 1_000), shutdown(9)))[1] == 1_000


def test_a_fork_counts_what_it_did_itself(tmp_path: Path) -> None:
    first = [start(key=OTHER), *turn(1, 1_000, "The first prompt")]
    compaction = event(40, "session.compaction_complete", compactionTokensUsed={"model": "m", **tokens(300)})
    fork = [
        start(30),
        *first[1:],
        event(31, "session.info", infoType="fork", message="Forked from it"),
        event(32, "session.resume"),
        *turn(33, 500, "And then"),
        compaction,
    ]
    expected = (2, 800, 80, 40, 20)
    assert counted(row(tmp_path, *fork)) == expected
    ended = row(tmp_path, *fork, shutdown(50, 1_000, 500, started=30))
    assert (counted(ended), ended.title) == (expected, "The first prompt")
    assert counted(row(tmp_path, *first, key=OTHER)) == (2, 1_000, 100, 20, 10)


def test_a_subagent_counts_its_tokens_but_no_messages(tmp_path: Path) -> None:
    subagent = [
        event(5, "user.message", content="You are a helper.", source="agent-1"),
        event(6, "session.usage_record", usage={"model": "small", **tokens(400)}),
        event(7, "assistant.message", messageId="sub", model="small", content="Helped."),
    ]
    for each in subagent:
        each["agentId"] = "agent-1"
    task = row(tmp_path, start(), *turn(1, 1_000), *subagent)
    assert (counted(task), task.model) == ((2, 1_400, 140, 40, 20), "m")
    history = TaskHistory([tmp_path], now=lambda: NOW)
    shown = [each for each in history.messages(OWN).messages if each.text == "You are a helper."]
    assert [(each.role, each.kind) for each in shown] == [("system", "notice")]


def test_a_fork_of_a_fork_counts_what_it_did_itself(tmp_path: Path) -> None:
    def forked(second: int) -> Event:
        return event(second, "session.info", infoType="fork", message='Forked from "a" (b) as "c" (d).')

    copied = [*turn(1, 1_000), forked(10), event(11, "session.resume"), *turn(12, 500)]
    own = [forked(30), event(31, "session.resume"), *turn(32, 200)]
    assert counted(row(tmp_path, start(29), *copied, *own)) == (2, 200, 20, 20, 10)


def test_a_session_keeps_what_it_did_before_it_was_forked_or_the_clock_went_back(tmp_path: Path) -> None:
    shown = event(40, "session.info", infoType="fork", message='Forked this session into "x" (y).')
    assert counted(row(tmp_path, start(30), *turn(1, 1_000), shown)) == (2, 1_000, 100, 20, 10)


def test_a_fork_that_was_rewound_into_its_copied_part_counts_what_it_did_itself(tmp_path: Path) -> None:
    """`/rewind` removes the event that names the fork; requests still name the session that made them."""
    copied = turn(1, 1_000)
    copied[1]["data"]["usage"]["accounting"] = {"sourceSessionId": OTHER, "sequence": 1}
    own = turn(32, 200)
    own[1]["data"]["usage"]["accounting"] = {"sourceSessionId": OWN, "sequence": 1}
    rewound = [start(30), *copied, event(31, "session.resume"), *own]
    assert counted(row(tmp_path, *rewound, shutdown(40, 1_000, 200, started=30))) == (2, 200, 20, 20, 10)


def test_a_compaction_counts_besides_what_its_process_recorded(tmp_path: Path) -> None:
    compaction = event(3, "session.compaction_complete", compactionTokensUsed={"model": "m", **tokens(90)})
    answer = event(2, "assistant.message", messageId="a", model="m", outputTokens=100)
    former = [start(), event(1, "user.message", content="Do it"), answer, compaction]
    ended = [*former, shutdown(4, 1_000), event(10, "session.resume"), *turn(11, 500)]
    assert counted(row(tmp_path, *ended))[1:3] == (1_590, 159)


def asked(second: int, output: int) -> list[Event]:
    """Return a turn of a version that records the output of answers."""
    return [
        event(second, "session.resume"),
        event(second, "user.message", content="Do it"),
        event(second + 1, "assistant.message", messageId=f"a{second}", model="m", outputTokens=output),
    ]


def test_former_versions_record_a_run_alone_or_with_the_last_one(tmp_path: Path) -> None:
    """1.0.50 and 1.0.80 both name the session's start in every run."""
    first = [start(), *asked(1, 100)[1:], shutdown(3, 1_000)]
    alone = [*asked(10, 50), shutdown(12, 500)]
    assert counted(row(tmp_path, *first, *alone))[1:3] == (1_500, 150)
    summed = [*asked(20, 70), shutdown(22, 500, 700)]
    assert counted(row(tmp_path, *first, *alone, *summed))[1:3] == (2_200, 220)
    recorded = [start(), *turn(1, 1_000), shutdown(4, 1_000)]
    assert counted(row(tmp_path, *recorded, *summed[:3], shutdown(22, 1_000, 700)))[1:3] == (1_700, 170)


def test_a_former_version_does_not_include_requests_of_a_killed_process(tmp_path: Path) -> None:
    killed = [start(), *turn(1, 1_000)]
    assert counted(row(tmp_path, *killed, *asked(20, 100), shutdown(22, 1_000)))[1:3] == (2_000, 200)


def test_a_fork_of_a_former_version_counts_its_own_process(tmp_path: Path) -> None:
    forked = event(31, "session.info", infoType="fork", message='Forked from "a" (b) as "c" (d).')
    copied = asked(1, 100)[1:]
    assert counted(row(tmp_path, start(30), *copied, forked, *asked(32, 50), shutdown(34, 500)))[1:3] == (
        500,
        50,
    )
    ended = [*copied, shutdown(3, 1_000), forked, *asked(32, 50), shutdown(34, 1_000, 500)]
    assert counted(row(tmp_path, start(30), *ended))[1:3] == (500, 50)
