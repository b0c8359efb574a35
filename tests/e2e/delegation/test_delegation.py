"""Runs that launch runs: what they see and hear of them."""

from tests.e2e.delegation.conftest import Delegating, call, task


async def test_a_run_launches_a_run_waits_for_it_and_reads_its_result(delegating: Delegating) -> None:
    editor = await delegating.attach()
    steps = [task("cat", "the result"), call("check_async_tasks", action="wait", task_ids=["ID1"])]
    lead = await editor.launch("lead", "\n".join([*steps, call("check_async_tasks", task_id="ID1")]))
    (ended,) = await editor.ended(lead)
    assert ended["status"] == "completed", ended
    assert "the result" in ended["output"]["final_message"]
    (child,) = [each for each in await delegating.tasks(editor) if each["id"] != lead]
    assert (child["parentTaskId"], child["status"]) == (lead, "completed")
