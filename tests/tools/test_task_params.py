"""What the `task` tool makes of its arguments."""

import math
from typing import Any

import pytest

from sidecar.subagents.tasks.launching import Abort
from sidecar.tools import TaskTool
from sidecar.tools.orchestrator import LaunchRequest

CALL = {"subagent_name": "scout", "goal_prompt": "look around"}


class Recorder:
    """An orchestrator, launch and scope that notes what it is given."""

    agent_id = "agent-1"
    output = None

    def __init__(self) -> None:
        self.requests: list[LaunchRequest] = []
        self.contexts: list[dict[str, Any]] = []

    @property
    def scope(self) -> "Recorder":
        return self

    async def launch(self, request: LaunchRequest, abort: Abort) -> "Recorder":
        self.requests.append(request)
        return self

    async def run_non_interactive(self, context: dict[str, Any]) -> None:
        self.contexts.append(context)

    async def dispose(self) -> None:
        return


@pytest.fixture
def fake() -> Recorder:
    return Recorder()


@pytest.fixture
def tool(fake: Recorder) -> TaskTool:
    return TaskTool(lambda: fake)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "Parameters 'subagent_name' and 'goal_prompt' are required."),
        ({"goal_prompt": "look"}, "Parameter 'subagent_name' is required."),
        ({"subagent_name": "scout", "goal_prompt": None}, "Parameter 'goal_prompt' is required."),
        ({"subagent_name": " ", "goal_prompt": "look"}, "Parameter 'subagent_name' must not be blank."),
    ],
)
async def test_what_is_missing_is_named(tool: TaskTool, arguments: Any, message: str) -> None:
    result = await tool.execute(arguments)
    assert result.error is not None
    assert (result.error.message, result.error.type) == (message, "PARAMETER_VALIDATION")


@pytest.mark.parametrize(
    ("extra", "name"),
    [
        ({"goal_prompt": "look \ud83d"}, "goal_prompt"),
        ({"behaviour_prompts": ["be brief", "\ud83d"]}, "behaviour_prompts[1]"),
        ({"expected_outputs": {"\ud83d": "a number"}}, "a name in expected_outputs"),
    ],
)
async def test_half_of_a_character_is_refused(tool: TaskTool, extra: dict[str, Any], name: str) -> None:
    result = await tool.execute({**CALL, **extra})
    assert result.error is not None
    assert result.error.type == "PARAMETER_VALIDATION"
    assert result.error.message.startswith(f"Invalid {name}: contains half a surrogate pair at index")


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"subagent_name": "scout", "goal_prompt": "look"}, "Run subagent 'scout' to accomplish: look"),
        ({"goal_prompt": ["look"]}, "Run subagent '' to accomplish: "),
        (None, "Run subagent '' to accomplish: "),
    ],
)
def test_a_call_is_described_however_bad_it_is(tool: TaskTool, arguments: Any, text: str) -> None:
    assert tool.describe(arguments) == text
    assert tool.kind == "execute"


async def test_every_parameter_reaches_the_launch_and_the_run(tool: TaskTool, fake: Recorder) -> None:
    await tool.execute(
        {
            "subagent_name": " scout ",
            "goal_prompt": " look ",
            "behaviour_prompts": [" be brief ", "look", "", "be brief"],
            "tool_whitelist": [
                "read",
                " read ",
                "task",
                "TaskTool",
                "functions.list_subagents",
                "github.task",
            ],
            "expected_outputs": {"answer": "a number"},
            "timeout_seconds": 60,
            "grace_period_seconds": 5,
            "max_turns": 7,
            "context": {"task_name": "mine", "task_behaviour_prompts": "no", "x": [1]},
        }
    )
    assert fake.requests == [
        LaunchRequest(
            name="scout",
            behaviour_prompts=["look", "be brief"],
            run_config={"max_time_minutes": 1, "grace_period_seconds": 5, "max_turns": 7},
            tool_config={"tools": ["read", "github.task"]},
            output_config={"outputs": {"answer": "a number"}},
        )
    ]
    assert fake.contexts == [
        {"task_goal": "look", "task_name": "mine", "x": [1], "task_behaviour_prompts": ["look", "be brief"]}
    ]


async def test_null_stands_for_a_parameter_left_out(tool: TaskTool, fake: Recorder) -> None:
    optional = ("behaviour_prompts", "tool_whitelist", "timeout_seconds", "async", "context")
    result = await tool.execute({**CALL, **dict.fromkeys(optional)})
    assert result.error is None
    assert (fake.requests[0].behaviour_prompts, fake.requests[0].tool_config) == (["look around"], None)


async def test_without_any_limit_there_is_no_run_config(fake: Recorder) -> None:
    tool = TaskTool(lambda: fake, default_timeout_seconds=-1, max_timeout_seconds=-1)
    result = await tool.execute({**CALL, "tool_whitelist": []})
    assert (fake.requests[0].run_config, fake.requests[0].tool_config) == (None, {"tools": []})
    assert (result.metadata or {})["effectiveTimeoutSeconds"] is None
    await tool.execute({**CALL, "max_turns": 3})
    assert fake.requests[1].run_config == {"max_time_minutes": math.inf, "max_turns": 3}


@pytest.mark.parametrize(
    ("extra", "named"),
    [
        ({"subagent_name": "  "}, "'subagent_name' must not be blank"),
        ({"goal_prompt": 3}, "'goal_prompt' must be a string"),
        ({"goal": "x"}, "Unknown parameter 'goal'"),
        ({"behaviour_prompts": "x"}, "'behaviour_prompts' must be a list of strings"),
        ({"tool_whitelist": [1]}, "'tool_whitelist' must be a list of strings"),
        ({"expected_outputs": []}, "'expected_outputs' must be an object"),
        (
            {"expected_outputs": {"a": {}}},
            "expected_outputs 'a' must be a plain string description, not a JSON Schema object.",
        ),
        ({"expected_outputs": {"a": 1}}, "not a number."),
        ({"timeout_seconds": 0}, "Invalid timeout_seconds: 0."),
        ({"timeout_seconds": "9"}, "'timeout_seconds' must be a number"),
        ({"timeout_seconds": True}, "'timeout_seconds' must be a number"),
        ({"timeout_seconds": math.inf}, "Invalid timeout_seconds: Infinity."),
        ({"grace_period_seconds": -2}, "Invalid grace_period_seconds: -2."),
        ({"max_turns": 0}, "Invalid max_turns: 0."),
        ({"max_turns": 1.5}, "'max_turns'"),
        ({"max_turns": math.nan}, "'max_turns'"),
        ({"async": "yes"}, "'async' must be true or false"),
        ({"context": [1]}, "'context' must be an object"),
    ],
)
async def test_bad_arguments_are_refused_by_name(
    tool: TaskTool, fake: Recorder, extra: Any, named: str
) -> None:
    result = await tool.execute({**CALL, **extra})
    assert result.error is not None
    assert result.error.type == "PARAMETER_VALIDATION"
    assert named in result.llm_content
    assert fake.requests == []


@pytest.mark.parametrize("missing", ["subagent_name", "goal_prompt"])
async def test_required_parameters_are_named(tool: TaskTool, missing: str) -> None:
    result = await tool.execute({name: value for name, value in CALL.items() if name != missing})
    assert result.llm_content == f"Parameter '{missing}' is required."
