"""Text streamed to a client that waits for an answer."""

import asyncio

import pytest

from sidecar.app.outbound.report_stream import MAX_CHARS, ReportStream


class Client:
    """Reads when a test lets it, and keeps what it read."""

    def __init__(self) -> None:
        self.read: list[str] = []
        self.reads = asyncio.Event()
        self.reads.set()
        self.pauses = 0
        self.may_continue = asyncio.Event()
        self.changed = asyncio.Condition()

    async def send(self, text: str) -> None:
        await self.reads.wait()
        async with self.changed:
            self.read.append(text)
            self.changed.notify_all()

    async def pause(self) -> None:
        self.pauses += 1
        await self.may_continue.wait()

    async def has_read(self, count: int) -> None:
        async with asyncio.timeout(5), self.changed:
            await self.changed.wait_for(lambda: len(self.read) >= count)


@pytest.fixture
def client() -> Client:
    return Client()


async def test_the_first_text_goes_out_at_once_and_the_rest_with_a_pause_between(client: Client) -> None:
    async with ReportStream(client.send, client.pause) as reports:
        reports.add("id")
        await client.has_read(1)
        reports.add("one ")
        reports.add("")
        reports.add("two")
        assert client.read == ["id"]
        client.may_continue.set()
        await client.has_read(2)
        reports.add("last")
    assert client.read == ["id", "one two", "last"]
    assert client.pauses >= 2


async def test_nothing_to_say_sends_nothing(client: Client) -> None:
    async with ReportStream(client.send, client.pause):
        pass
    assert (client.read, client.pauses) == ([], 0)


async def test_what_comes_after_the_end_is_ignored(client: Client) -> None:
    client.may_continue.set()
    async with ReportStream(client.send, client.pause) as reports:
        reports.add("one")
    reports.add("late")
    assert client.read == ["one"]


async def test_an_error_drops_what_was_not_sent_and_leaves_no_task(client: Client) -> None:
    client.reads.clear()
    before = asyncio.all_tasks()
    with pytest.raises(ValueError, match="broke"):
        async with ReportStream(client.send, client.pause) as reports:
            reports.add("one")
            await asyncio.sleep(0)
            raise ValueError("broke")
    assert client.read == []
    assert asyncio.all_tasks() == before


async def test_a_cancellation_while_the_client_does_not_read_leaves_no_task(client: Client) -> None:
    client.reads.clear()
    before = asyncio.all_tasks()
    entered = asyncio.Event()

    async def serve() -> None:
        async with ReportStream(client.send, client.pause) as reports:
            reports.add("one")
            entered.set()

    serving = asyncio.create_task(serve())
    await entered.wait()
    await asyncio.sleep(0)
    serving.cancel()
    with pytest.raises(asyncio.CancelledError):
        await serving
    async with asyncio.timeout(5):
        while asyncio.all_tasks() != before:
            await asyncio.sleep(0)
    assert client.read == []


async def test_a_client_that_reads_slowly_gets_the_newest_text_and_what_it_missed(client: Client) -> None:
    client.may_continue.set()
    client.reads.clear()
    async with ReportStream(client.send, client.pause) as reports:
        reports.add("id")
        await asyncio.sleep(0)
        for _ in range(10):
            reports.add("x" * (MAX_CHARS // 4))
        reports.add("end")
        client.reads.set()
    whole = "".join(client.read)
    assert len(whole) < MAX_CHARS + 100
    assert "characters skipped]\n" in whole
    assert whole.endswith("xend")


async def test_a_client_that_is_gone_ends_the_reports(client: Client) -> None:
    async def fail(text: str) -> None:
        raise ConnectionError("gone")

    async with ReportStream(fail, client.pause) as reports:
        reports.add("one")
        await asyncio.sleep(0)
        reports.add("two")
