import asyncio
import logging

import pytest

from sidecar.api.lifecycle import LogMessage
from sidecar.app.logs import ClientLogHandler


@pytest.mark.parametrize(
    ("level", "name"),
    [
        (logging.DEBUG, "debug"),
        (logging.INFO, "info"),
        (logging.WARNING, "warning"),
        (logging.CRITICAL, "error"),
    ],
)
async def test_records_of_any_thread_reach_the_client_by_their_level(level: int, name: str) -> None:
    sent: asyncio.Queue[LogMessage] = asyncio.Queue()
    handler = ClientLogHandler(asyncio.get_running_loop(), sent.put_nowait)
    logger = logging.Logger("sidecar.app", level=1)
    logger.addHandler(handler)
    await asyncio.to_thread(logger.log, level, "%s is full", "the disk")
    message = await asyncio.wait_for(sent.get(), 5)
    assert (message.level, message.message) == (name, "the disk is full")


async def test_the_wires_own_troubles_are_not_put_on_the_wire() -> None:
    sent: asyncio.Queue[LogMessage] = asyncio.Queue()
    logger = logging.Logger("sidecar.rpc.transport.writer")
    logger.addHandler(ClientLogHandler(asyncio.get_running_loop(), sent.put_nowait))
    logger.error("the queue is full")
    await asyncio.sleep(0)
    assert sent.empty()


def test_a_record_after_the_end_of_the_loop_is_not_an_error() -> None:
    loop = asyncio.new_event_loop()
    loop.close()
    logger = logging.Logger("sidecar")
    logger.addHandler(ClientLogHandler(loop, lambda message: None))
    logger.warning("late")
