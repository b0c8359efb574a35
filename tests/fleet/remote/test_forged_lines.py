"""A process of the node that writes to the journal of a run harms that run alone."""

import os
from pathlib import Path

import pytest

from sidecar.fleet.node_journal import NodeJournal
from sidecar.subagents.runners.remote.run.remote_run import RemoteRun
from tests.fleet.conftest import MakeWorld
from tests.fleet.fakes.virtual_time import run_virtually, until
from tests.fleet.fakes.world import RUN, World
from tests.fleet.remote.test_remote_run import counting, forever

RESULT = b'{"result": {"terminate_reason": "GOAL", "final_message": "x", "emitted_vars": {}, "error": null}}'


async def launched(here: World) -> RemoteRun:
    """Launch a run, and wait until three of its events have arrived."""
    run = await here.launch()
    await until(lambda: len(here.values) == 3)
    return run


def forge(here: World, line: bytes) -> None:
    """Put a line in the place of the next one, as an agent can: it is the same user."""
    run = here.body._run
    run._record = lambda *_, **__: None  # type: ignore[method-assign]
    run.journal.append(line)
    run.changed.set()


@pytest.mark.parametrize(
    "line",
    [
        b"rubbish",
        b"\xff\xfe\x00",
        b"5",
        b'["event"]',
        b'{"event": 1',
        b'1]} {"id": 1, "ok": {}}',
        b'1],"stream":7,"after":0,"lines":[' + RESULT,
    ],
)
def test_a_line_that_is_not_an_object_ends_its_run_and_not_the_gateway(world: MakeWorld, line: bytes) -> None:
    async def main() -> None:
        here = world(forever)
        run = await launched(here)
        number = here.body._run.journal.last + 1
        forge(here, line)
        result = await run.result()
        assert f"line {number} of the run's journal on its node is damaged" in str(result.error)
        assert result.final_message is None and here.values == [1, 2, 3]
        assert len(here.gateways.processes) == 1 and here.link.is_connected

    run_virtually(main)


@pytest.mark.parametrize(
    "line",
    [
        b'{"event": 5}',
        b'{"event": {}}',
        b'{"ask": {}}',
        b'{"configured": 7}',
        b'{"result": []}',
        b'{"session": []}',
    ],
)
def test_an_object_of_another_shape_ends_its_run_and_not_the_gateway(world: MakeWorld, line: bytes) -> None:
    async def main() -> None:
        here = world(forever)
        run = await launched(here)
        forge(here, line)
        forge(here, RESULT)
        await run.result()
        assert len(here.gateways.processes) == 1 and here.link.is_connected

    run_virtually(main)


def test_lines_that_another_process_appends_are_replaced(world: MakeWorld) -> None:
    async def main() -> None:
        here = world(counting(50))
        run = await launched(here)
        with (here.folder / "fleet" / "runs" / RUN / "journal.ndjson").open("ab") as journal:
            journal.write(RESULT + b"\n")
        assert (await run.result()).final_message == "done"
        assert here.values == list(range(1, 51))

    run_virtually(main)


def test_a_shortened_journal_serves_no_torn_lines(tmp_path: Path) -> None:
    journal = NodeJournal(tmp_path / "journal")
    journal.append(b"first")
    os.truncate(tmp_path / "journal", 2)
    journal.append(b"second")
    assert journal.read(1, 1, 100) == [b"second"]
    journal.close()
