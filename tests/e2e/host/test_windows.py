"""What windows need of the Host that they share."""

import sys
from pathlib import Path

import pytest

from tests.e2e.host.conftest import HostSetting


async def test_health_counts_the_clients_that_can_answer(shared: HostSetting) -> None:
    one = await shared.attach()
    await shared.attach(answersQuestions=False)
    assert (await one.request("health"))["clients"] == 1
    await shared.attach()
    assert (await one.request("health"))["clients"] == 2


@pytest.mark.slow
async def test_runs_end_after_the_last_window_if_a_window_asked_for_it(shared: HostSetting) -> None:
    one = await shared.attach()
    await one.request("settings/update", settings={"host": {"onLastWindowClose": "stop"}})
    terminal = await shared.attach(answersQuestions=False)
    task_id = await one.launch_ready("wait")
    one.client.close_input()
    ended = (await terminal.ended(task_id))[0]
    assert (ended["status"], ended["endReason"]) == ("failed", "hostExit")
    assert "host.onLastWindowClose" in ended["error"]
    assert (await terminal.ended(await terminal.launch("cat")))[0]["status"] == "completed"


async def test_a_host_marks_its_environment(shared: HostSetting) -> None:
    one = await shared.attach()
    mark = Path(sys.prefix) / "in-use" / str(shared.pid)
    assert mark.read_text() == str(shared.root)
    await one.shut_down()
    await shared.ended()
    assert not mark.exists()
