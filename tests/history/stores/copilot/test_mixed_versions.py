"""Sessions that several versions continued; each records something else at the end of a process.

The orders and forms are those that Copilot CLI itself wrote.
"""

import json
from collections.abc import Sequence
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecar.history.stores.append_only.records import Damage
from sidecar.history.stores.copilot.events import EVENTS, EventFold

Version = Literal[12, 50, 80, 102]
Process = tuple[Version, int]
"""A version, and the output of its one answer; a negative number is an output after which it was killed."""


def used(outputs: Sequence[int]) -> dict[str, int]:
    output = sum(outputs)
    cached = {"cacheReadTokens": 2 * output, "cacheWriteTokens": 3 * output}
    return {"inputTokens": 15 * output, "outputTokens": output, **cached}


def file_of(processes: Sequence[Process]) -> bytes:
    """Return the events of the processes: since 1.0.80, an end includes the last one of the file."""
    events: list[dict[str, Any]] = []
    last: list[int] = []
    for number, (version, signed) in enumerate(processes):
        output = abs(signed)
        answer: dict[str, Any] = {"messageId": f"m{number}"}
        events.append({"type": "session.resume" if number else "session.start", "data": {}})
        if version == 102:
            record = {"usage": {"model": "m", **used([output])}}
            events.append({"type": "session.usage_record", "id": f"r{number}", "data": record})
        else:
            answer["outputTokens"] = output
        events.append({"type": "assistant.message", "data": answer})
        if signed > 0:
            last = [*(last if version >= 80 else ()), output]
            metrics = {"m": {"requests": {"count": len(last)}, "usage": used(last)}}
            events.append({"type": "session.shutdown", "data": {"modelMetrics": metrics}})
    return b"".join(json.dumps(each).encode() + b"\n" for each in events)


def counted(*pieces: bytes) -> tuple[float | None, ...]:
    """Return the tokens after the pieces, which are also asked for after each of them."""
    fold, usage = EventFold(), None
    for piece in pieces:
        fold.take(EVENTS.decode(piece, Damage()))
        usage = fold.usage()
    assert usage is not None
    return usage.input, usage.output, usage.cache_reads, usage.cache_writes


def expected(processes: Sequence[Process]) -> tuple[float | None, ...]:
    output = sum(abs(signed) for _, signed in processes)
    if any(signed < 0 and version != 102 for version, signed in processes):
        return None, output, None, None
    return 10 * output, output, 2 * output, 3 * output


@pytest.mark.parametrize(
    "processes",
    [
        [(102, 100), (80, 103), (80, 106)],
        [(80, 109), (102, 112), (80, 115)],
        [(50, 127), (102, 130), (80, 133), (80, 136)],
        [(80, 139), (102, -142), (80, 145)],
        [(102, 118), (50, 121), (80, 124)],
        [(102, 148), (80, 151), (50, 154), (80, 157)],
        [(102, 100), (12, 103), (80, 106)],
        [(12, 100), (102, 103), (12, 106), (80, 109)],
    ],
    ids=lambda processes: "-".join(str(version) for version, _ in processes),
)
def test_each_process_is_counted_once(processes: list[Process]) -> None:
    assert counted(file_of(processes)) == expected(processes)


VERSIONS: st.SearchStrategy[Version] = st.sampled_from((12, 50, 80, 102))
OUTPUTS = st.integers(1, 999)
PROCESSES = st.lists(st.tuples(VERSIONS, OUTPUTS | OUTPUTS.map(int.__neg__)), min_size=1, max_size=6)


@given(PROCESSES)
def test_any_order_of_versions_is_counted_once(processes: list[Process]) -> None:
    content = file_of(processes)
    assert counted(content) == expected(processes)
    assert counted(*content.splitlines(keepends=True)) == expected(processes)
