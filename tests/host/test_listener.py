"""Real sockets: what a process may send to the Host, and that no process can block it."""

import asyncio
import contextlib
import os
import resource
import socket
import threading
from array import array
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from sidecar.host import listener
from sidecar.host.attach import address, attaching
from sidecar.host.attach.attaching import request_bytes
from sidecar.host.attach.socket_file import is_listening
from sidecar.host.listener import Listener, Requester
from sidecar.host.request import HostRequest

STATUS = request_bytes("status", "1", {})


class House:
    """A listener that answers with the verb, and keeps the descriptors of the request."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.is_lost = False
        self.taken: asyncio.Queue[list[int]] = asyncio.Queue()
        self.listener = Listener(root, self._handle, lambda: self.is_lost)

    async def _handle(self, requester: Requester) -> None:
        if requester.request.verb == "fail":
            raise ValueError("not understood")
        try:
            await self.taken.put(list(requester.take_pipes()))
        except ValueError:
            await self.taken.put([])
        requester.answer(f"{requester.request.verb}\nof {requester.request.version}")
        if requester.request.verb == "stay":
            gone = asyncio.Event()
            requester.watch(gone.set)
            await gone.wait()

    def knock(self) -> socket.socket:
        wire = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        wire.setblocking(False)
        wire.connect(next(address.known_sockets(str(self.root))))
        return wire


@pytest.fixture
async def house(root: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[House]:
    monkeypatch.setattr(listener, "WATCH_SECONDS", 0.01)
    house = House(root)
    house.listener.open()
    yield house
    await house.listener.aclose()


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    ends = os.pipe()
    yield ends
    for each in ends:
        os.close(each)


async def answer(wire: socket.socket) -> bytes:
    """Return what the Host sends until it closes the connection."""
    loop, received = asyncio.get_running_loop(), b""
    with wire, contextlib.suppress(ConnectionResetError):
        async with asyncio.timeout(20):
            while chunk := await loop.sock_recv(wire, 4096):
                received += chunk
    return received


async def asked(house: House, request: bytes, descriptors: list[int] | None = None) -> bytes:
    wire = house.knock()
    passed = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array("i", descriptors))] if descriptors else []
    wire.sendmsg([request], passed)
    return await answer(wire)


async def test_a_request_is_answered_in_one_line(house: House) -> None:
    assert await asked(house, STATUS) == b"status of 1\n"
    assert house.taken.get_nowait() == []


async def test_descriptors_arrive_with_the_request_and_are_not_inherited(
    house: House, pipe: tuple[int, int]
) -> None:
    await asked(house, STATUS, list(pipe))
    reading, writing = house.taken.get_nowait()
    assert not os.get_inheritable(reading) and not os.get_inheritable(writing)
    os.write(pipe[1], b"through")
    assert os.read(reading, 10) == b"through"
    os.close(reading)
    os.close(writing)


async def test_more_descriptors_than_two_are_not_kept(house: House, pipe: tuple[int, int]) -> None:
    before = len(os.listdir("/dev/fd"))
    for _ in range(5):
        await asked(house, STATUS, [pipe[0], pipe[1], pipe[0]])
        for each in house.taken.get_nowait():
            os.close(each)
    assert len(os.listdir("/dev/fd")) == before


async def test_descriptors_of_a_request_that_is_not_one_are_closed(
    house: House, pipe: tuple[int, int]
) -> None:
    before = len(os.listdir("/dev/fd"))
    assert await asked(house, b"x" * 50, list(pipe)) == b""
    assert await asked(house, request_bytes("fail", "1", {}), list(pipe)) == b""
    assert len(os.listdir("/dev/fd")) == before


async def test_descriptors_with_every_piece_of_a_request_do_not_pile_up(
    house: House, pipe: tuple[int, int]
) -> None:
    before = len(os.listdir("/dev/fd"))
    wire = house.knock()
    for number in range(len(STATUS)):
        passed = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array("i", pipe))]
        with contextlib.suppress(OSError):
            wire.sendmsg([STATUS[number : number + 1]], passed)
        await asyncio.sleep(0)
    assert await answer(wire) == b""
    assert len(os.listdir("/dev/fd")) == before


async def test_a_request_in_pieces_is_waited_for_while_others_are_served(house: House) -> None:
    slow = house.knock()
    for byte in STATUS[:-1]:
        slow.send(bytes([byte]))
        await asyncio.sleep(0)
    assert await asked(house, STATUS) == b"status of 1\n"
    slow.send(STATUS[-1:])
    assert await answer(slow) == b"status of 1\n"


async def test_a_process_that_sends_no_request_is_disconnected_after_a_time(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listener, "REQUEST_SECONDS", 0.05)
    assert await answer(house.knock()) == b""


async def test_a_process_that_leaves_early_disturbs_nobody(house: House) -> None:
    for sent in (b"", STATUS[:5], STATUS):
        wire = house.knock()
        if sent:
            wire.send(sent)
        wire.close()
    assert await asked(house, STATUS) == b"status of 1\n"


async def test_a_connection_is_known_to_have_gone(house: House) -> None:
    wire = house.knock()
    wire.send(request_bytes("stay", "1", {}))
    await house.taken.get()
    wire.shutdown(socket.SHUT_WR)
    assert await answer(wire) == b"stay of 1\n"


async def test_a_removed_socket_is_made_again(house: House) -> None:
    path = Path(next(address.known_sockets(str(house.root))))
    path.unlink()
    async with asyncio.timeout(20):
        while not path.exists():
            await asyncio.sleep(0)
    async with asyncio.timeout(20):
        while True:
            with contextlib.suppress(ConnectionRefusedError):
                assert await asked(house, STATUS) == b"status of 1\n"
                break


@contextlib.contextmanager
def no_more_files() -> Iterator[None]:
    """Keep this process from opening files."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (1, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


async def test_without_free_descriptors_a_process_waits_and_is_served_later(
    house: House, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(listener, "PAUSE_SECONDS", 0.01)
    wire = house.knock()
    wire.send(STATUS)
    with no_more_files():
        while "cannot attach" not in caplog.text:
            await asyncio.sleep(0)
    assert await answer(wire) == b"status of 1\n"


async def test_without_free_descriptors_the_event_loop_does_not_spin(
    house: House, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(listener, "PAUSE_SECONDS", 3600)
    with house.knock(), no_more_files():
        for _ in range(50):
            await asyncio.sleep(0)
    assert caplog.text.count("cannot attach") == 1


async def test_a_process_of_another_user_gets_no_answer(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    wire, user = house.knock(), os.getuid()
    monkeypatch.setattr(os, "getuid", lambda: user + 1)
    wire.send(STATUS)
    assert await answer(wire) == b""
    assert house.taken.empty()


async def test_a_host_that_lost_its_root_stops_listening(house: House) -> None:
    path = Path(next(address.known_sockets(str(house.root))))
    house.is_lost = True
    async with asyncio.timeout(20):
        while path.exists():
            await asyncio.sleep(0)
    assert not (house.root / address.POINTER).exists()


async def test_one_that_stops_leaves_the_socket_of_the_next_alone(house: House) -> None:
    other = House(house.root)
    other.listener.open()
    house.listener.stop()
    assert await asked(other, STATUS) == b"status of 1\n"
    await other.listener.aclose()
    assert not Path(address.socket_path(str(house.root))).exists()


def test_a_full_queue_is_not_mistaken_for_an_absent_host(root: Path) -> None:
    with contextlib.ExitStack() as opened:
        server = opened.enter_context(socket.socket(socket.AF_UNIX))
        server.bind(address.socket_path(str(root)))
        server.listen(1)
        for _ in range(2):
            assert is_listening(address.socket_path(str(root)))
        with pytest.raises(TimeoutError):
            attaching.ask(str(root), STATUS, (), 0.1)
        assert is_listening(address.socket_path(str(root)))


async def test_the_socket_is_private(house: House) -> None:
    path = Path(next(address.known_sockets(str(house.root))))
    assert path.stat().st_mode & 0o777 == 0o600
    with house.knock() as wire:
        assert attaching.peer_user(wire) == os.getuid()


async def test_clients_find_it_from_any_thread(house: House) -> None:
    lines: list[str | None] = []

    def turn_to_it() -> None:
        link = attaching.ask(str(house.root), STATUS)
        assert link is not None
        lines.extend((link.line(), link.line()))
        link.close()

    thread = threading.Thread(target=turn_to_it)
    thread.start()
    await asyncio.to_thread(thread.join, 20)
    assert lines == ["status of 1", None]


def test_without_a_host_nobody_answers(root: Path) -> None:
    assert attaching.ask(str(root), STATUS) is None
    path = address.socket_path(str(root))
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(path)
    assert attaching.ask(str(root), STATUS) is None


async def test_a_folder_in_the_place_of_the_socket_is_named_with_the_remedy(root: Path) -> None:
    path = Path(address.socket_path(str(root)))
    path.mkdir(parents=True)
    listener = Listener(root, _nobody, lambda: False)
    with pytest.raises(address.NoAddress, match=f"{path} is a folder .* remove it"):
        listener.open()


async def _nobody(requester: Requester) -> None:
    """Handle a request, which never arrives."""


async def test_a_connection_that_reuses_the_number_of_a_closed_one_is_served() -> None:
    ours, theirs = socket.socketpair()
    theirs.setblocking(False)
    number = theirs.fileno()
    requester = Requester(theirs, HostRequest("attach", "1", {}, {}), [])
    requester.watch(lambda: None)
    await asyncio.sleep(0)
    requester.close()
    reading, writing = os.pipe()
    os.dup2(reading, number)
    heard, loop = asyncio.Event(), asyncio.get_running_loop()
    loop.add_reader(number, heard.set)
    await asyncio.sleep(0)
    os.write(writing, b"x")
    async with asyncio.timeout(5):
        await heard.wait()
    loop.remove_reader(number)
    for each in {number, reading, writing}:
        os.close(each)
    ours.close()
