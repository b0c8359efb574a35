import asyncio
import shutil
from pathlib import Path
from typing import Any

import pytest
from acp import schema

from sidecar.cli.demo.example.script import ExampleAgent

PROJECT = Path(__file__).parents[3] / "client-ts/example/project"


class Client:
    """Keeps the updates, and answers each permission request with an option."""

    def __init__(self, option: str | None) -> None:
        self.updates: list[Any] = []
        self.asked: list[tuple[str, list[str]]] = []
        self.is_asked = asyncio.Event()
        self._option = option

    async def session_update(self, session_id: str, update: Any) -> None:
        self.updates.append(update)

    async def request_permission(
        self, session_id: str, tool_call: schema.ToolCallUpdate, options: list[schema.PermissionOption]
    ) -> schema.RequestPermissionResponse:
        self.asked.append((str(tool_call.title), [option.option_id for option in options]))
        self.is_asked.set()
        if self._option is None:
            await asyncio.Event().wait()
        outcome = schema.AllowedOutcome(outcome="selected", option_id=str(self._option))
        return schema.RequestPermissionResponse(outcome=outcome)

    def of(self, kind: str) -> list[Any]:
        return [update for update in self.updates if update.session_update == kind]

    def text(self) -> str:
        return "".join(update.content.text for update in self.of("agent_message_chunk"))


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A copy of the sample project, as the extension makes it."""
    return Path(shutil.copytree(PROJECT, tmp_path / "example"))


def total(project: Path, prices: list[float], discount: float) -> float:
    names: dict[str, Any] = {}
    exec((project / "prices.py").read_text(), names)
    result: float = names["total"](prices, discount)
    return result


async def play(project: Path, option: str | None) -> tuple[Client, schema.PromptResponse]:
    client, agent = Client(option), ExampleAgent(pace=0)
    agent.on_connect(client)
    session_id = (await agent.new_session(cwd=str(project))).session_id
    turn = asyncio.create_task(agent.prompt(session_id=session_id, prompt=[]))
    if option is None:
        await client.is_asked.wait()
        await agent.cancel(session_id=session_id)
    return client, await turn


@pytest.mark.parametrize("option", ["allow", "always"])
async def test_an_allowed_edit_corrects_the_sample_project(project: Path, option: str) -> None:
    assert total(project, [10, 20], 10) == 20
    client, answer = await play(project, option)
    assert answer.stop_reason == "end_turn"
    assert client.asked == [("Edit prices.py", ["allow", "always", "reject"])]
    assert (total(project, [10, 20], 10), total(project, [80], 25)) == (27, 60)
    assert "27.00" in client.text()


async def test_the_plan_advances_and_the_edit_shows_its_diff(project: Path) -> None:
    before = (project / "prices.py").read_text()
    client, _ = await play(project, "allow")
    done = [[entry.status for entry in plan.entries].count("completed") for plan in client.of("plan")]
    assert done == [0, 1, 2, 3]
    [diff] = [part for call in client.of("tool_call") for part in call.content or []]
    assert (diff.old_text, diff.new_text) == (before, (project / "prices.py").read_text())


async def test_a_search_names_the_line_of_the_mistake(project: Path) -> None:
    client, _ = await play(project, "allow")
    search = next(call for call in client.of("tool_call") if call.kind == "search")
    [place] = search.locations
    assert "discount" in Path(place.path).read_text().splitlines()[place.line - 1]


async def test_a_rejected_edit_changes_nothing(project: Path) -> None:
    before = (project / "prices.py").read_text()
    client, answer = await play(project, "reject")
    assert (project / "prices.py").read_text() == before
    assert answer.stop_reason == "end_turn"
    assert "nothing changed" in client.text()
    assert client.of("tool_call_update")[-1].status == "failed"


async def test_a_cancelled_example_ends_and_changes_nothing(project: Path) -> None:
    before = (project / "prices.py").read_text()
    _, answer = await play(project, None)
    assert answer.stop_reason == "cancelled"
    assert (project / "prices.py").read_text() == before


async def test_a_goal_in_another_folder_is_refused_with_the_reason(tmp_path: Path) -> None:
    (tmp_path / "prices.py").write_text("def total() -> int:\n    return 1\n")
    client, answer = await play(tmp_path, "allow")
    assert (client.asked, answer.stop_reason) == ([], "refusal")
    assert (client.of("plan"), client.of("tool_call")) == ([], [])
    assert "only an example" in client.text()
    assert "real agent" in client.text()


async def test_another_goal_after_the_correction_is_refused(project: Path) -> None:
    await play(project, "allow")
    after = (project / "prices.py").read_text()
    client, answer = await play(project, "allow")
    assert (client.asked, answer.stop_reason) == ([], "refusal")
    assert (project / "prices.py").read_text() == after
