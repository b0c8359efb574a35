"""Clients that show one run: `python -m benchmarks.serving.watching TASK CLIENTS COMMAND...`.

Prints a line once all subscribe. Exits with an error unless each gets every event once and in order.
"""

import asyncio
import sys
from typing import Any

from sidecar.rpc.client import RpcClient

_LIMIT = 120


async def _watch(task_id: str, command: list[str], is_ready: asyncio.Event) -> None:
    last, ended = 0, asyncio.Event()

    def received(params: Any) -> None:
        nonlocal last
        for event in params["events"]:
            if event["seq"] != last + 1:
                raise RuntimeError(f"event {event['seq']} follows {last}")
            last = event["seq"]
            if event.get("status") == "completed":
                ended.set()

    async with await RpcClient.spawn(command) as client:
        client.on_notification("asyncTasks/didOutput", received)
        await client.request("initialize", {"protocolVersion": 1, "answersQuestions": False})
        await client.request("asyncTasks/subscribe", {"taskId": task_id, "afterSeq": 0})
        is_ready.set()
        async with asyncio.timeout(_LIMIT):
            await ended.wait()


async def _main(task_id: str, clients: int, command: list[str]) -> None:
    ready = [asyncio.Event() for _ in range(clients)]
    async with asyncio.TaskGroup() as group:
        for each in ready:
            group.create_task(_watch(task_id, command, each))
        for each in ready:
            await each.wait()
        print("watching", flush=True)


if __name__ == "__main__":
    asyncio.run(_main(sys.argv[1], int(sys.argv[2]), sys.argv[3:]))
