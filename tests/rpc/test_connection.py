"""A connection between two pipes in this process: what handlers, the gate and the app can rely on."""

import asyncio
import logging
from dataclasses import replace
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sidecar.rpc.connection import Method
from sidecar.rpc.errors import ConnectionClosed, EncodingError, RpcError
from sidecar.rpc.transport.frame_queue import FrameQueue
from tests.rpc.wire import Peer, call, connected, note


class Value(msgspec.Struct, forbid_unknown_fields=True):
    value: Any = None


def request(handler: Any) -> Method:
    return Method(handler, Value, "request")


def notification(handler: Any) -> Method:
    return Method(handler, Value, "notification")


async def echo(params: Value) -> Any:
    return params.value


async def hang(params: Value) -> None:
    await asyncio.Event().wait()


def code(answer: Any) -> int | None:
    return answer["error"]["code"] if "error" in answer else None


async def test_requests_run_side_by_side() -> None:
    async with connected({"echo": request(echo), "hang": request(hang)}) as peer:
        peer.send(call(1, "hang"), call(2, "echo", value="x"))
        assert await peer.read() == {"jsonrpc": "2.0", "id": 2, "result": "x"}


async def test_notifications_are_handled_one_after_the_other() -> None:
    seen: list[str] = []
    finished = asyncio.Event()

    async def record(params: Value) -> None:
        seen.append(f"start {params.value}")
        await asyncio.sleep(0)
        seen.append(f"end {params.value}")
        if params.value == 2:
            finished.set()

    async with connected({"record": notification(record)}) as peer:
        peer.send(note("record", value=1), note("record", value=2))
        await asyncio.wait_for(finished.wait(), 5)
    assert seen == ["start 1", "end 1", "start 2", "end 2"]


async def test_a_failing_notification_handler_does_not_stop_the_next() -> None:
    seen = asyncio.Queue[Any](5)

    async def record(params: Value) -> None:
        await seen.put(params.value)
        raise ValueError("broken")

    async with connected({"record": notification(record)}) as peer:
        peer.send(note("record", value=1), note("record", value=2))
        assert [await asyncio.wait_for(seen.get(), 5) for _ in range(2)] == [1, 2]


async def test_a_notification_handler_that_is_cancelled_within_does_not_stop_the_next() -> None:
    seen = asyncio.Queue[Any](5)

    async def record(params: Value) -> None:
        await seen.put(params.value)
        raise asyncio.CancelledError

    async with connected({"record": notification(record)}) as peer:
        peer.send(note("record", value=1), note("record", value=2))
        assert [await asyncio.wait_for(seen.get(), 5) for _ in range(2)] == [1, 2]


async def test_a_cancelled_request_is_answered_once_and_its_task_is_cancelled() -> None:
    cancelled = asyncio.Event()

    async def wait(params: Value) -> None:
        try:
            await asyncio.Event().wait()
        finally:
            cancelled.set()

    async with connected({"wait": request(wait), "echo": request(echo)}) as peer:
        peer.send(call(1, "wait"), call(2, "echo"))
        await peer.read()
        peer.send(note("$/cancelRequest", id=1), note("$/cancelRequest", id=1), call(3, "echo"))
        answers = [await peer.read(), await peer.read()]
        assert {answer["id"]: code(answer) for answer in answers} == {1: -32800, 3: None}
        assert cancelled.is_set()


async def test_a_handler_that_swallows_its_cancellation_answers_once_with_its_result() -> None:
    async def swallow(params: Value) -> str:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            return "done all the same"
        return "never"

    async with connected({"swallow": request(swallow), "echo": request(echo)}) as peer:
        peer.send(call(1, "swallow"), call(2, "echo"))
        await peer.read()
        peer.send(note("$/cancelRequest", id=1))
        assert (await peer.read())["result"] == "done all the same"
        peer.send(call(1, "echo", value="the id is free again"))
        assert (await peer.read())["result"] == "the id is free again"


@pytest.mark.parametrize("message_id", [None, True, 1.0, [], {}, "1", 99])
async def test_cancelling_what_does_not_run_harms_nobody(message_id: Any) -> None:
    async with connected({"hang": request(hang), "echo": request(echo)}) as peer:
        peer.send(call(1, "hang"), note("$/cancelRequest", id=message_id), call(2, "echo"))
        assert (await peer.read())["id"] == 2


async def test_an_id_in_flight_is_refused_and_the_first_request_continues() -> None:
    release = asyncio.Event()

    async def wait(params: Value) -> str:
        await release.wait()
        return "first"

    async with connected({"wait": request(wait)}) as peer:
        peer.send(call("a", "wait"), call("a", "wait"))
        assert code(await peer.read()) == -32600
        release.set()
        assert (await peer.read())["result"] == "first"


async def test_beyond_the_cap_requests_are_refused_as_retryable_and_cancels_still_work() -> None:
    async with connected({"hang": request(hang)}, max_in_flight=2) as peer:
        peer.send(*(call(number, "hang") for number in range(3)))
        assert code(await peer.read()) == -32001
        peer.send(note("$/cancelRequest", id=0))
        assert code(await peer.read()) == -32800


async def test_any_number_of_waits_leaves_room_for_a_cancel_and_has_a_cap_of_its_own() -> None:
    waiting = replace(request(hang), waits=True)
    async with connected({"wait": waiting, "echo": request(echo)}, max_in_flight=2) as peer:
        peer.send(call(0, "wait"), call(1, "wait"), call(2, "echo"))
        assert (await peer.read())["id"] == 2
        peer.send(call(3, "wait"))
        assert code(await peer.read()) == -32001
        peer.send(note("$/cancelRequest", id=0), call(4, "echo"))
        assert {(await peer.read())["id"] for _ in range(2)} == {0, 4}


async def test_the_gate_refuses_requests_with_its_error_and_notifications_in_silence() -> None:
    seen: list[Any] = []

    async def record(params: Value) -> None:
        seen.append(params)

    def admit(method: str, is_request: bool) -> None:
        if method != "echo":
            raise RpcError(-32002, f"initialize first ({is_request})")

    methods = {"echo": request(echo), "record": notification(record)}
    async with connected(methods, admit=admit) as peer:
        peer.send(note("record"), call(1, "unknown"), call(2, "echo"))
        assert (await peer.read())["error"] == {"code": -32002, "message": "initialize first (True)"}
        assert (await peer.read())["id"] == 2
    assert seen == []


async def test_a_method_of_the_other_kind_is_refused_or_ignored() -> None:
    async with connected({"echo": request(echo), "record": notification(echo)}) as peer:
        peer.send(note("echo"), call(1, "record"))
        answer = await peer.read()
        assert code(answer) == -32601
        assert "without an ID" in answer["error"]["message"]


async def test_domain_errors_are_mapped_and_unknown_ones_hidden_behind_an_id(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def fail(params: Value) -> None:
        raise KeyError(params.value) if params.value else ValueError("secret")

    def map_error(error: Exception) -> RpcError | None:
        return RpcError(-32010, "no such task", {"taskId": "x"}) if isinstance(error, KeyError) else None

    async with connected({"fail": request(fail)}, map_error=map_error) as peer:
        peer.send(call(1, "fail", value="x"))
        mapped = await peer.read()
        assert mapped["error"] == {"code": -32010, "message": "no such task", "data": {"taskId": "x"}}
        peer.send(call(2, "fail"))
        hidden = (await peer.read())["error"]
    correlation_id = hidden["data"]["correlationId"]
    assert hidden["message"] == f"internal error (correlation id {correlation_id})"
    assert correlation_id in caplog.text and "secret" in caplog.text


async def test_an_error_mapper_that_fails_still_gives_an_answer() -> None:
    def map_error(error: Exception) -> RpcError | None:
        raise RuntimeError("broken mapper")

    async def fail(params: Value) -> None:
        raise ValueError

    async with connected({"fail": request(fail)}, map_error=map_error) as peer:
        peer.send(call(1, "fail"))
        assert code(await peer.read()) == -32603


async def test_a_request_to_the_peer_brings_its_answer_or_its_error() -> None:
    async with connected({}) as peer:
        asking = asyncio.create_task(peer.connection.request("ask", {"a": 1}, timeout=5))
        asked = await peer.read()
        assert (asked["method"], asked["params"]) == ("ask", {"a": 1})
        peer.send({"jsonrpc": "2.0", "id": asked["id"], "result": 7})
        assert await asking == 7
        asking = asyncio.create_task(peer.connection.request("ask", {}, timeout=5))
        error = {"code": -32601, "message": "unknown"}
        peer.send({"jsonrpc": "2.0", "id": (await peer.read())["id"], "error": error})
        with pytest.raises(RpcError, match="unknown"):
            await asking


async def test_a_request_to_a_silent_peer_times_out_and_is_cancelled() -> None:
    async with connected({}) as peer:
        with pytest.raises(TimeoutError):
            await peer.connection.request("ask", {}, timeout=0.02)
        asked, withdrawn = await peer.read(), await peer.read()
        assert (withdrawn["method"], withdrawn["params"]) == ("$/cancelRequest", {"id": asked["id"]})


async def test_requests_to_a_peer_that_leaves_fail_at_once() -> None:
    async with connected({}) as peer:
        asking = asyncio.create_task(peer.connection.request("ask", {}, timeout=60))
        await peer.read()
        peer.hang_up()
        with pytest.raises(ConnectionClosed):
            await asyncio.wait_for(asking, 5)
        with pytest.raises(ConnectionClosed):
            await peer.connection.request("ask", {}, timeout=60)


async def test_a_handler_that_asks_a_peer_that_leaves_is_still_answered() -> None:
    async def ask(params: Value) -> Any:
        return await peer.connection.request("ask", {}, timeout=60)

    async with connected({"ask": request(ask)}) as peer:
        peer.send(call(1, "ask"))
        await peer.read()
        peer.hang_up()
        answers = [message for message in await peer.read_all() if "id" in message]
    assert [(answer["id"], code(answer)) for answer in answers] == [(1, -32800)]


async def test_ids_of_both_sides_do_not_meet() -> None:
    async def ask(params: Value) -> Any:
        return await peer.connection.request("ask", {}, timeout=5)

    async with connected({"ask": request(ask)}) as peer:
        peer.send(call(1, "ask"))
        asked = await peer.read()
        peer.send(note("$/cancelRequest", id="none"), {"jsonrpc": "2.0", "id": asked["id"], "result": "mine"})
        assert await peer.read() == {"jsonrpc": "2.0", "id": 1, "result": "mine"}


async def test_an_answer_nobody_waits_for_is_only_logged(caplog: pytest.LogCaptureFixture) -> None:
    async with connected({"echo": request(echo)}) as peer:
        peer.send(
            {"jsonrpc": "2.0", "id": 5, "result": 1},
            {"jsonrpc": "2.0", "id": None, "error": 1},
            call(1, "echo"),
        )
        assert (await peer.read())["id"] == 1
    assert caplog.text.count("unexpected answer") == 2


async def test_a_late_answer_to_a_cancelled_request_is_ignored(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with connected({"echo": request(echo)}) as peer:
        asking = asyncio.create_task(peer.connection.request("ask", {}, timeout=5))
        asked = await peer.read()
        asking.cancel()
        assert (await peer.read())["method"] == "$/cancelRequest"
        peer.send({"jsonrpc": "2.0", "id": asked["id"], "result": "late"}, call(1, "echo"))
        assert (await peer.read())["id"] == 1
    assert "unexpected answer" not in caplog.text


async def test_notifications_without_a_json_form_are_refused_to_the_caller() -> None:
    async with connected({}) as peer:
        with pytest.raises(EncodingError):
            peer.connection.notify("x", {1, 2})


async def wait_until_full(peer: Peer, queue: FrameQueue) -> None:
    """Have the writer in the middle of more than a pipe holds, then fill the queue behind it."""
    peer.connection.notify("filler", {"x": "x" * 1_000_000})
    await peer.readable()
    while not queue.full:
        peer.connection.notify("filler", {})


async def test_notifications_to_a_peer_that_does_not_read_are_bounded_and_state_replaced(
    caplog: pytest.LogCaptureFixture,
) -> None:
    queue = FrameQueue(max_frames=20)
    caplog.set_level(logging.CRITICAL)
    async with connected({}, queue) as peer:
        await wait_until_full(peer, queue)
        for number in range(500):
            peer.connection.notify("state", {"number": number}, coalesce="task")
            peer.connection.notify("changed", {"padding": "x" * 5000})
        assert peer.connection.outbound_depth <= 21
        peer.connection.request_exit(0)
        methods = [(message["method"], message["params"].get("number")) for message in await peer.read_all()]
    assert ("state", 499) in methods
    assert (
        sum(method == "state" for method, _ in methods) <= 25
    )  # of 500: the writer may get some out meanwhile


async def test_paced_notifications_all_arrive_in_order() -> None:
    queue = FrameQueue(max_frames=4)
    async with connected({}, queue) as peer:

        async def stream() -> None:
            for number in range(100):
                await peer.connection.notify_paced("event", {"seq": number, "padding": "x" * 5000})

        streaming = asyncio.create_task(stream())
        sequence = [(await peer.read())["params"]["seq"] for _ in range(100)]
        await streaming
    assert sequence == list(range(100))


async def test_paced_notifications_end_with_the_peer() -> None:
    queue = FrameQueue(max_frames=2)
    async with connected({}, queue) as peer:
        await wait_until_full(peer, queue)
        waiting = asyncio.create_task(peer.connection.notify_paced("event", {}))
        peer.stop_reading()
        with pytest.raises(ConnectionClosed):
            await asyncio.wait_for(waiting, 5)


async def test_results_wait_for_a_peer_that_does_not_read_and_can_be_cancelled() -> None:
    queue = FrameQueue(max_frames=2)
    async with connected({"echo": request(echo)}, queue) as peer:
        await wait_until_full(peer, queue)
        depth = peer.connection.outbound_depth
        peer.send(*(call(number, "echo", value="x" * 50) for number in range(20)))
        peer.send(note("$/cancelRequest", id=19), call("bad", "unknown"))
        answers: dict[Any, int | None] = {}
        while len(answers) < 21:
            message = await peer.read()
            if "id" in message:
                answers[message["id"]] = code(message)
        assert 2 <= depth <= 3
        assert answers.pop("bad") == -32601
        assert set(answers) == set(range(20))


async def test_the_end_of_input_ends_it_even_with_a_peer_that_never_reads() -> None:
    queue = FrameQueue(max_frames=2)
    async with connected({"echo": request(echo)}, queue) as peer:
        await wait_until_full(peer, queue)
        peer.send(*(call(number, "unknown") for number in range(300)))
        peer.hang_up()
        serving = next(task for task in asyncio.all_tasks() if task.get_name() == "serve")
        assert await asyncio.wait_for(serving, 5) == 1


async def test_what_was_asked_just_before_the_end_of_input_is_answered() -> None:
    ended: list[str] = []
    async with connected({"echo": request(echo)}, on_end=lambda: ended.append("eof")) as peer:
        peer.send(call(1, "echo"), call(2, "unknown"))
        peer.hang_up()
        assert {message["id"] for message in await peer.read_all()} == {1, 2}
    assert ended == ["eof"]


async def test_an_exit_is_reported_before_what_still_runs_is_cancelled() -> None:
    order: list[str] = []

    async def stays(params: Value) -> None:
        try:
            await asyncio.Event().wait()
        finally:
            order.append("cancelled")

    async with connected({"stays": request(stays)}, on_end=lambda: order.append("end")) as peer:
        peer.send(call(1, "stays"), call(2, "unknown"))
        assert (await peer.read())["id"] == 2
        peer.connection.request_exit(0)
        await peer.read_all()
    assert order == ["end", "cancelled"]


async def test_the_first_exit_code_counts() -> None:
    async with connected({}) as peer:
        peer.connection.request_exit(0)
        peer.connection.request_exit(3)
        serving = next(task for task in asyncio.all_tasks() if task.get_name() == "serve")
        assert await asyncio.wait_for(serving, 5) == 0


@settings(max_examples=15, deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from(["echo", "hang", "swallow", "fail", "nope", "cancel"]), st.integers(0, 4)),
        max_size=25,
    )
)
async def test_every_request_gets_exactly_one_answer(steps: list[tuple[str, int]]) -> None:
    async def swallow(params: Value) -> str:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            return "swallowed"
        return "never"

    async def fail(params: Value) -> None:
        raise RpcError(-1, "refused")

    handlers = {"echo": echo, "hang": hang, "swallow": swallow, "fail": fail}
    async with connected({name: request(handler) for name, handler in handlers.items()}) as peer:
        asked = 0
        for action, message_id in steps:
            asked += action != "cancel"
            peer.send(
                note("$/cancelRequest", id=message_id) if action == "cancel" else call(message_id, action)
            )
        peer.hang_up()
        answers = await peer.read_all()
    assert len(answers) == asked
    assert all(("result" in answer) != ("error" in answer) for answer in answers)
