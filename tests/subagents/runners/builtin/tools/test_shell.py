import asyncio
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecar.subagents.runners.builtin.tools.shell import BoundedOutput, run_command

pytestmark = pytest.mark.usefixtures("programs", "adopting")


def test_short_output_is_complete_and_long_output_keeps_both_ends() -> None:
    output = BoundedOutput(10)
    output.add(b"0123")
    output.add(b"456789")
    assert output.text() == "0123456789"
    output.add(b"abc")
    assert output.text() == "01234\n[3 bytes are left out]\n89abc"


@given(st.lists(st.binary(max_size=30), max_size=10))
def test_the_cut_does_not_depend_on_the_pieces(pieces: list[bytes]) -> None:
    whole, piecewise = BoundedOutput(20), BoundedOutput(20)
    whole.add(b"".join(pieces))
    for piece in pieces:
        piecewise.add(piece)
    assert whole.text() == piecewise.text()


async def test_a_command_returns_its_output_and_status(root: Path) -> None:
    outcome = await run_command("pwd; echo oops >&2; exit 3", root, 10)
    assert (outcome.status, outcome.output) == (3, f"{root}\noops\n")


async def test_a_command_gets_no_input(root: Path) -> None:
    assert (await run_command("cat", root, 10)).status == 0


async def test_large_output_is_bounded(root: Path) -> None:
    outcome = await run_command("yes | head -c 30000000", root, 20)
    assert len(outcome.output) < 33_000
    assert "bytes are left out]" in outcome.output


async def test_a_command_is_killed_on_timeout_and_its_output_kept(root: Path) -> None:
    began = time.monotonic()
    outcome = await run_command("trap '' TERM; echo begun; sleep 300", root, 0.5)
    assert (outcome.status, outcome.output) == (None, "begun\n")
    assert time.monotonic() - began < 3


async def test_processes_that_a_command_left_running_are_killed(root: Path) -> None:
    began = time.monotonic()
    outcome = await run_command("sleep 300 & (setsid sleep 300 &) ; echo done", root, 10)
    assert (outcome.status, outcome.output) == (0, "done\n")
    assert time.monotonic() - began < 3


async def test_cancelling_kills_the_tree_at_once(root: Path) -> None:
    command = asyncio.create_task(run_command("(setsid sleep 300 &); touch begun; sleep 300", root, 60))
    async with asyncio.timeout(10):
        while not (root / "begun").exists():
            await asyncio.sleep(0.01)
    began = time.monotonic()
    command.cancel()
    with pytest.raises(asyncio.CancelledError):
        await command
    assert time.monotonic() - began < 1


async def test_cancelling_kills_the_tree_of_a_command_that_has_just_started(root: Path) -> None:
    command = asyncio.create_task(run_command("(setsid sleep 300 &); touch begun; sleep 300", root, 60))
    for _ in range(3):
        await asyncio.sleep(0)  # the shell is started; the loop does not come to learn of it
    deadline = time.monotonic() + 10
    while not (root / "begun").exists() and time.monotonic() < deadline:
        time.sleep(0.01)
    assert (root / "begun").exists()
    command.cancel()
    with pytest.raises(asyncio.CancelledError):
        await command
