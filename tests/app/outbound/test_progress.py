"""How the progress of a request is reported."""

import asyncio
from typing import Any, cast

from sidecar.api.lifecycle import ProgressMessage
from sidecar.app.outbound.progress import Progress
from sidecar.rpc.connection import Connection


class Sent:
    """A connection that keeps what is sent."""

    def __init__(self) -> None:
        self.values: list[dict[str, Any]] = []

    def notify(self, method: str, message: ProgressMessage, coalesce: object) -> None:
        assert (method, message.token) == ("$/progress", "t")
        self.values.append(message.value)


def progress(sent: Sent, token: str | None = "t") -> Progress:
    return Progress(cast(Connection, sent), token, "Searching")


async def test_a_thread_counts_and_each_percent_is_reported_once() -> None:
    sent = Sent()

    def work(count: Any) -> None:
        for done in range(0, 300, 100):
            count(done, 300)
            count(done, 300)

    with progress(sent) as reported:
        await asyncio.to_thread(work, reported.counter())
    assert sent.values == [
        {"kind": "begin", "title": "Searching"},
        {"kind": "report", "message": "0 of 300", "percentage": 0},
        {"kind": "report", "message": "100 of 300", "percentage": 33},
        {"kind": "report", "message": "200 of 300", "percentage": 66},
        {"kind": "end"},
    ]


async def test_nothing_is_reported_without_a_token_or_after_the_end() -> None:
    silent, sent = Sent(), Sent()
    with progress(silent, None) as reported:
        reported.counter()(1, 2)
    with progress(sent) as reported:
        count = reported.counter()
    count(1, 2)
    await asyncio.sleep(0)
    assert (silent.values, sent.values[-1]) == ([], {"kind": "end"})
