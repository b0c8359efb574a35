"""Work done in two processes gives what one gives, whatever becomes of the other."""

import os
import signal
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from sidecar.api.tasks import Rules
from sidecar.history import TaskHistory, spreading
from sidecar.history.spreading import FEWEST, in_two_processes
from tests.generator import ERAS, generate

NAMES = [f"name {number}" for number in range(FEWEST)]
NOW_MS = 1_776_254_400_000

Rows = list[tuple[str, int]]


# Threads that earlier tests left behind take no part here.
pytestmark = pytest.mark.filterwarnings("ignore:.*use of fork:DeprecationWarning")


@pytest.fixture(autouse=True)
def _no_copy_stays(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let copies be made whatever threads there are, and see to it that each is gone afterwards."""
    copies: list[int] = []
    fork = os.fork

    def recorded() -> int:
        copies.append(fork())
        return copies[-1]

    monkeypatch.setattr(spreading, "_may_fork", lambda: True)
    monkeypatch.setattr(os, "fork", recorded)
    yield
    for copy in copies:
        with pytest.raises(ChildProcessError):
            os.waitpid(copy, os.WNOHANG)


def named(names: list[str]) -> Rows:
    return [(name, os.getpid()) for name in names]


def unless_here(deed: Callable[[], object]) -> Callable[[list[str]], Rows]:
    """Work before which the copy, and it alone, does something else."""
    original = os.getpid()

    def work(names: list[str]) -> Rows:
        if os.getpid() != original:
            deed()
        return named(names)

    return work


def spread(work: Callable[[list[str]], Rows], names: list[str] = NAMES) -> Rows:
    return in_two_processes(work, names, Rows)


def test_two_processes_share_the_names() -> None:
    rows = spread(named)
    assert sorted(name for name, _ in rows) == sorted(NAMES)
    assert len({process for _, process in rows}) == 2


def test_few_names_are_not_worth_a_process() -> None:
    assert {process for _, process in spread(named, NAMES[1:])} == {os.getpid()}


@pytest.mark.parametrize(
    "deed",
    [
        lambda: os.kill(os.getpid(), signal.SIGKILL),
        lambda: os._exit(3),
        lambda: [].pop(),
    ],
)
def test_what_the_copy_leaves_undone_is_done_here(deed: Callable[[], object]) -> None:
    rows = spread(unless_here(deed))
    assert sorted(name for name, _ in rows) == sorted(NAMES)
    assert {process for _, process in rows} == {os.getpid()}


def test_a_copy_that_hangs_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spreading, "PATIENCE_SECONDS", 0.05)
    rows = spread(unless_here(threading.Event().wait))
    assert {process for _, process in rows} == {os.getpid()}


def test_an_error_here_ends_the_copy() -> None:
    original = os.getpid()

    def work(names: list[str]) -> Rows:
        if os.getpid() == original:
            raise RuntimeError("no")
        return named(names)

    with pytest.raises(RuntimeError):
        spread(work)


@pytest.mark.parametrize("rules", ["structural", "guide"])
def test_a_list_from_two_processes_is_the_list_from_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rules: Rules
) -> None:
    monkeypatch.setattr(spreading, "FEWEST", 4)
    for era in ERAS:
        generate(tmp_path, era, 9)
    alone = TaskHistory([tmp_path], now=lambda: NOW_MS)
    spread_out = TaskHistory([tmp_path], now=lambda: NOW_MS, spread=in_two_processes)
    assert spread_out.list(rules=rules) == alone.list(rules=rules)
    assert len(alone.list(rules=rules)) > 4
