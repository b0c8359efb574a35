import asyncio
import json
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from sidecar.api.errors import InvalidParams
from sidecar.api.settings import RunnerSettings
from sidecar.subagents.runners.command.runner import CommandRunner
from sidecar.subagents.runners.contract import RunnerUnavailable, RunSpec

Start = Callable[..., Awaitable[Any]]
Python = tuple[str, ...]


def command(*argv: str, env: dict[str, str] | None = None) -> CommandRunner:
    return CommandRunner("mine", RunnerSettings(type="command", command=list(argv), env=env or {}))


async def ignore(event: dict[str, Any]) -> None:
    pass


async def test_a_prompt_without_placeholder_goes_to_stdin_which_is_closed(start: Start) -> None:
    run = await start("cat", prompt="Grüße\n")
    result = await run.result()
    assert (result.terminate_reason, result.final_message, result.error) == ("GOAL", "Grüße", None)


async def test_placeholders_are_replaced_literally_and_only_once(start: Start, tmp_path: Path) -> None:
    run = await start("echo", "{prompt}|{taskId}|{workspaceDir}|{other}{}", prompt="say {taskId}")
    result = await run.result()
    assert result.final_message == f"say {{taskId}}|{run.task_id}|{tmp_path}|{{other}}{{}}"


@pytest.mark.parametrize(
    ("template", "prompt", "filled"),
    [
        (["{prompt}"], "--evil", ["\n--evil"]),
        (["{prompt}: {taskId}"], "-x", ["\n-x: id"]),
        (["--goal", "{prompt}"], "-x", ["--goal", "\n-x"]),
        (["--goal=", "{prompt}"], "-x", ["--goal=", "\n-x"]),
        (["--", "{prompt}"], "--evil", ["--", "--evil"]),
        (["--goal={prompt}"], "--evil", ["--goal=--evil"]),
        (["{prompt}"], "plain - text", ["plain - text"]),
    ],
)
async def test_a_prompt_is_never_read_as_an_option(
    template: list[str], prompt: str, filled: list[str], start: Start
) -> None:
    code = "import json, sys; print(json.dumps(sys.argv[2:]))"
    run = await start(sys.executable, "-c", code, ".", *template, prompt=prompt)
    text = (await run.result()).final_message
    assert json.loads(text) == [part.replace("id", run.task_id) for part in filled]


async def test_with_a_placeholder_stdin_is_empty(start: Start) -> None:
    run = await start("sh", "-c", 'cat; echo "$1"', "sh", "{prompt}", prompt="only here")
    assert (await run.result()).final_message == "only here"


async def test_a_start_does_not_wait_for_a_child_that_never_reads_a_long_prompt(start: Start) -> None:
    run = await start("true", prompt="x" * 5_000_000)
    assert (await run.result()).terminate_reason == "GOAL"


async def test_a_child_that_reads_late_gets_the_whole_long_prompt(start: Start) -> None:
    run = await start("sh", "-c", "sleep 0.2; wc -c", prompt="x" * 3_000_000)
    assert (await run.result()).final_message.strip() == "3000000"


async def test_the_command_runs_in_the_workspace_with_env_and_marker(start: Start, tmp_path: Path) -> None:
    run = await start(
        "sh", "-c", 'pwd; echo "$EXTRA $HOME $SUBAGENT_SIDECAR_TASK"', env={"EXTRA": "1", "HOME": "/h"}
    )
    assert (await run.result()).final_message == f"{tmp_path.resolve()}\n1 /h {run.task_id}"


async def test_text_is_streamed_in_pieces_of_one_message_before_the_end(start: Start) -> None:
    run = await start("sh", "-c", "echo one; read line; echo two; sleep 30")
    await run.until_it_speaks()
    assert run.text().startswith("one")
    await run.run.stop()
    assert len({event["messageId"] for event in run.events}) == 1


async def test_events_are_distinguished_from_messages(start: Start) -> None:
    tool, variable = '{"type":"tool","name":"t","status":"started"}', '{"type":"emit","name":"n","value":[1]}'
    run = await start("cat", prompt=f"before\n{tool}\n{variable}\nafter\n", format="events")
    result = await run.result()
    assert [event["type"] for event in run.events] == ["message", "tool", "emit", "message"]
    assert (result.final_message, result.emitted_vars) == ("after", {"n": [1]})


async def test_invalid_utf8_becomes_replacement_characters(start: Start, python: Python) -> None:
    run = await start(*python, r"import os; os.write(1, b'a\xff\xe2\x82'); os.write(1, b'\xac\xe2')")
    assert (await run.result()).final_message == "a\ufffd€\ufffd"


async def test_the_error_of_a_failed_command_is_the_end_of_its_stderr(start: Start) -> None:
    run = await start("sh", "-c", "printf %03000d 7 >&2; echo >&2; exit 3")
    result = await run.result()
    assert (result.terminate_reason, result.error) == ("ERROR", "0" * 1999 + "7")
    assert run.text("log") == "0" * 2999 + "7\n"


@pytest.mark.parametrize(
    ("script", "error"),
    [("exit 7", "the program exited with status 7"), ("kill -9 $$", "the program was killed by signal 9")],
)
async def test_the_error_of_a_failure_without_stderr_is_its_status(
    start: Start, script: str, error: str
) -> None:
    run = await start("sh", "-c", script)
    assert (await run.result()).error == error


async def test_stderr_of_a_successful_run_is_not_an_error(start: Start) -> None:
    run = await start("sh", "-c", "echo noise >&2; echo fine")
    result = await run.result()
    assert (result.error, result.final_message, run.text("log")) == (None, "fine", "noise\n")


async def test_a_long_final_message_is_cut_with_a_note_while_the_stream_is_complete(
    start: Start, python: Python
) -> None:
    run = await start(*python, "import sys; sys.stdout.write('é' * 2_500_000 + 'end\\n')")
    result = await run.result()
    notice, _, kept = result.final_message.partition("\n")
    assert run.text() == "é" * 2_500_000 + "end\n"
    assert kept.endswith("éend")
    assert len(kept.encode()) in (32 * 1024, 32 * 1024 - 1)
    assert f"{5_000_003 - len(kept.encode()):,} bytes" in notice


async def test_a_line_of_five_megabytes_is_one_event(start: Start, python: Python) -> None:
    code = 'import sys; sys.stdout.write(\'{"type":"result","text":"\' + \'x\' * 5_000_000 + \'"}\\n\')'
    run = await start(*python, code, format="events")
    await run.result()
    assert [len(event["text"]) for event in run.events] == [5_000_000]


async def test_a_slow_journal_slows_the_child_down(start: Start, python: Python, tmp_path: Path) -> None:
    taken, go = asyncio.Event(), asyncio.Event()

    async def slow(event: dict[str, Any]) -> None:
        taken.set()
        await go.wait()

    code = "import os\nfor i in range(50):\n os.write(1, b'x' * 65536)\n open('progress', 'w').write(str(i))"
    run = await start(*python, code, emit=slow)
    async with asyncio.timeout(10):
        await taken.wait()
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(run.run.result(), 0.3)
    assert int((tmp_path / "progress").read_text()) < 10
    go.set()
    assert (await run.result()).terminate_reason == "GOAL"


async def test_a_failing_journal_ends_the_run_with_an_error(start: Start) -> None:
    async def broken(event: dict[str, Any]) -> None:
        raise OSError("disk full")

    run = await start("sh", "-c", "while :; do echo y; done", emit=broken)
    result = await run.result()
    assert (result.terminate_reason, result.error) == ("ERROR", "the output could not be recorded: disk full")


@pytest.mark.slow
async def test_flooding_children_leave_the_loop_responsive(start: Start) -> None:
    runs = [await start("yes") for _ in range(8)]
    await asyncio.gather(*(run.until_it_speaks() for run in runs))
    lags = []
    for _ in range(50):
        before = time.perf_counter()
        await asyncio.sleep(0)
        lags.append(time.perf_counter() - before)
    await asyncio.gather(*(run.run.stop() for run in runs))
    assert sorted(lags)[40] < 0.05


@pytest.mark.parametrize("prompt", ["a\0b", "half \ud83d"])
@pytest.mark.parametrize("argument", ["{prompt}", "x"])
async def test_a_prompt_that_cannot_be_sent_is_refused(prompt: str, argument: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidParams, match="the prompt contains"):
        await command("echo", argument).start(RunSpec("id", prompt, tmp_path), ignore)


@pytest.mark.parametrize(
    ("argv", "reason"),
    [
        (["no-such-program-here"], "'no-such-program-here' is not found"),
        (["/etc/passwd"], "'/etc/passwd' is not found or not executable"),
        ([], "set runners.mine.command"),
        ([""], "set runners.mine.command"),
    ],
)
def test_a_missing_program_is_named_with_the_remedy(argv: list[str], reason: str) -> None:
    with pytest.raises(RunnerUnavailable, match=reason) as caught:
        command(*argv).check()
    assert caught.value.data == {"reason": caught.value.message}


def test_the_runners_own_path_is_searched(tmp_path: Path) -> None:
    program = tmp_path / "mine"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    command("mine", env={"PATH": str(tmp_path)}).check()
    with pytest.raises(RunnerUnavailable):
        command("mine", env={"PATH": "/nowhere"}).check()


async def test_a_missing_workspace_is_named(tmp_path: Path) -> None:
    with pytest.raises(RunnerUnavailable, match=r"gone' is not a directory"):
        await command("true").start(RunSpec("id", "", tmp_path / "gone"), ignore)


@pytest.mark.parametrize(
    ("content", "reason"), [("#!/no/such/shell\n", "No such file"), ("\x7fELF", "Exec format error")]
)
async def test_a_program_that_cannot_be_executed_is_refused_with_the_reason(
    content: str, reason: str, tmp_path: Path
) -> None:
    program = tmp_path / "broken"
    program.write_text(content)
    program.chmod(0o755)
    with pytest.raises(RunnerUnavailable, match=f"{reason}.*runners.mine"):
        await command(str(program)).start(RunSpec("id", "", tmp_path), ignore)


async def test_a_program_in_the_workspace_is_found_from_there(tmp_path: Path) -> None:
    command("./agent").check()
    with pytest.raises(RunnerUnavailable, match=r"'\./agent' cannot be started \(No such file"):
        await command("./agent").start(RunSpec("id", "", tmp_path), ignore)


async def test_a_prompt_too_long_for_an_argument_points_to_stdin(tmp_path: Path) -> None:
    with pytest.raises(RunnerUnavailable, match=r"too long for an argument; leave \{prompt\} out"):
        await command("echo", "{prompt}").start(RunSpec("id", "x" * 200_000, tmp_path), ignore)


async def test_a_bad_name_in_env_is_refused_without_showing_its_value(tmp_path: Path) -> None:
    with pytest.raises(RunnerUnavailable, match="illegal environment variable name") as caught:
        await command("true", env={"A=B": "secret"}).start(RunSpec("id", "", tmp_path), ignore)
    assert "secret" not in str(caught.value)


OUTPUTS = {"count": "how\nmany"}
EMIT = 'printf \'{"type": "emit", "name": "count", "value": 3}\\n\''


async def test_a_command_is_asked_for_outputs_in_a_comment_line(start: Start) -> None:
    run = await start("cat", prompt="do it", format="events", expected_outputs=OUTPUTS)
    result = await run.result()
    assert 'do it\n\n# Print each of these outputs as a line {"type": "emit"' in run.text()
    assert "count: how many" in run.text()
    assert result.error == "the run ended without its expected outputs: count"


async def test_a_command_that_prints_its_outputs_reaches_its_goal(start: Start) -> None:
    run = await start("sh", "-c", "{prompt}", prompt=EMIT, format="events", expected_outputs=OUTPUTS)
    result = await run.result()
    assert (result.terminate_reason, result.emitted_vars) == ("GOAL", {"count": 3})


def test_plain_text_supports_less_than_events() -> None:
    events, text = (
        CommandRunner("x", RunnerSettings(type="command", command=["true"], format=format))
        for format in ("events", "text")
    )
    equipment = {"model", "mode", "effort", "attachments", "additionalDirectories"}
    assert set(events.unsupported) == {"toolWhitelist", *equipment}
    assert set(text.unsupported) == {"toolWhitelist", "expectedOutputs", "maxTurns", *equipment}
