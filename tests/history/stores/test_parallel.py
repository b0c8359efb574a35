"""Work done in two processes gives what one gives, whatever happens to the other."""

import os
import select
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import pytest

from sidecar.api.stored.tasks import Rules
from sidecar.history import TaskHistory
from sidecar.history.stores import parallel
from sidecar.history.stores.parallel import FEWEST, in_two_processes
from tests.generator import ERAS, generate

NAMES = [f"name {number}" for number in range(FEWEST)]
NOW_MS = 1_776_254_400_000

Rows = list[tuple[str, int]]
Work = Callable[[list[str]], Rows]
Meet = Callable[..., Work]


# Threads that earlier tests left behind take no part sequential.
pytestmark = pytest.mark.filterwarnings("ignore:.*use of fork:DeprecationWarning")


@pytest.fixture(autouse=True)
def _no_copy_stays(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let copies be made whatever threads there are, and see to it that each is gone afterwards."""
    copies: list[int] = []
    fork = os.fork

    def recorded() -> int:
        copies.append(fork())
        return copies[-1]

    monkeypatch.setattr(parallel, "_may_fork", lambda: True)
    monkeypatch.setattr(os, "fork", recorded)
    yield
    for copy in copies:
        with pytest.raises(ChildProcessError):
            os.waitpid(copy, os.WNOHANG)


@pytest.fixture
def meet() -> Iterator[Meet]:
    """Make work that both processes take part in: each waits for the other before it does its first part.

    Without that either may have done everything before the other has begun. The copy then does `deed`.
    """
    copy_is_there, here_too = os.pipe(), os.pipe()
    original = os.getpid()

    def make(deed: Callable[[], object] = lambda: None) -> Work:
        def work(names: list[str]) -> Rows:
            if os.getpid() != original:
                _meet(tell=copy_is_there, hear=here_too)
                deed()
            else:
                _meet(tell=here_too, hear=copy_is_there)
            return [(name, os.getpid()) for name in names]

        return work

    yield make
    for end in (*copy_is_there, *here_too):
        os.close(end)


def _meet(tell: tuple[int, int], hear: tuple[int, int]) -> None:
    os.write(tell[1], b".")
    assert select.select([hear[0]], [], [], 10)[0]


def spread(work: Work, names: list[str] = NAMES) -> Rows:
    return in_two_processes(work, names, Rows)


def test_two_processes_share_the_names(meet: Meet) -> None:
    rows = spread(meet())
    assert [name for name, _ in rows] == NAMES
    assert len({process for _, process in rows}) == 2


def test_what_is_to_be_done_meanwhile_is_done_once_and_here() -> None:
    done: list[int] = []
    for names in (NAMES, NAMES[1:]):
        found = in_two_processes(lambda part: part, names, list[str], lambda: done.append(os.getpid()))
        assert sorted(found) == sorted(names)
    assert done == [os.getpid()] * 2


def test_the_copy_is_at_work_meanwhile() -> None:
    begun = os.pipe()
    original = os.getpid()

    def work(names: list[str]) -> list[str]:
        if os.getpid() != original:
            os.write(begun[1], b".")
        return names

    heard: list[bytes] = []
    found = in_two_processes(work, NAMES, list[str], lambda: heard.append(os.read(begun[0], 1)))
    assert heard == [b"."] and sorted(found) == sorted(NAMES)
    for end in begun:
        os.close(end)


def test_few_names_are_not_worth_a_process() -> None:
    rows = spread(lambda names: [(name, os.getpid()) for name in names], NAMES[1:])
    assert rows == [(name, os.getpid()) for name in NAMES[1:]]


@pytest.mark.parametrize(
    "deed",
    [lambda: os.kill(os.getpid(), signal.SIGKILL), lambda: os._exit(3), lambda: [].pop()],
    ids=["killed", "ended", "raised"],
)
def test_what_the_copy_leaves_undone_is_done_here(meet: Meet, deed: Callable[[], object]) -> None:
    rows = spread(meet(deed))
    assert sorted(rows) == sorted((name, os.getpid()) for name in NAMES)


def test_a_copy_that_hangs_is_given_up(meet: Meet, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel, "COPY_SECONDS", 0.05)
    rows = spread(meet(threading.Event().wait))
    assert sorted(rows) == sorted((name, os.getpid()) for name in NAMES)


def test_an_answer_that_is_cut_short_counts_for_nothing(meet: Meet, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = msgspec.msgpack.encode
    monkeypatch.setattr(msgspec.msgpack, "encode", lambda rows: whole(rows)[:-1])
    rows = spread(meet())
    assert sorted(rows) == sorted((name, os.getpid()) for name in NAMES)


def test_an_error_here_ends_the_copy() -> None:
    original = os.getpid()

    def work(names: list[str]) -> Rows:
        if os.getpid() == original:
            raise RuntimeError("no")
        threading.Event().wait()
        return []

    with pytest.raises(RuntimeError):
        spread(work)


@pytest.mark.parametrize("rules", ["structural", "guide"])
def test_a_list_from_two_processes_is_the_list_from_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rules: Rules
) -> None:
    monkeypatch.setattr(parallel, "FEWEST", 4)
    for era in ERAS:
        generate(tmp_path, era, 9)
    alone = TaskHistory([tmp_path], now=lambda: NOW_MS)
    spread_out = TaskHistory([tmp_path], now=lambda: NOW_MS, parallel=in_two_processes)
    assert spread_out.list(rules=rules) == alone.list(rules=rules)
    assert len(alone.list(rules=rules)) > 4


_KILLED = """
import os, signal
from sidecar.history.stores import parallel

parallel._may_fork = lambda: True
original = os.getpid()
begun, begin = os.pipe()

def work(names):
    if os.getpid() == original:
        os.read(begun, 1)
        os.kill(original, signal.SIGKILL)
    os.write(begin, b"x")
    return ["more than a pipe holds" * 10_000 for _ in names]

parallel.in_two_processes(work, [str(number) for number in range(parallel.FEWEST)], list[str])
"""


def test_the_copy_ends_if_the_original_is_killed() -> None:
    # The output ends when no process has it open any more.
    ended = subprocess.run([sys.executable, "-c", _KILLED], stdout=subprocess.PIPE, check=False, timeout=30)
    assert ended.returncode == -signal.SIGKILL
