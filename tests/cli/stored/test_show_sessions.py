"""`show`, `export` and the counts of `list` and `doctor`, for sessions of other agents."""

from pathlib import Path

from tests.cli.conftest import Run
from tests.cli.program import Cli
from tests.history.stores.codex.test_failed_calls import APPLIED, SESSION, called, item, opened
from tests.history.stores.fixtures.growing import append
from tests.history.stores.test_by_model import SESSION as CLAUDE
from tests.history.stores.test_by_model import claude_answer
from tests.history.stores.test_qwen_subagents import MAIN, add_subagent, root

__all__ = ["root"]  # a fixture
USED = {
    "input_tokens": 1_000,
    "cached_input_tokens": 100,
    "cache_write_input_tokens": 300,
    "output_tokens": 50,
}


def test_a_session_shows_its_tokens_its_cache_and_what_failed(tmp_path: Path, run: Run) -> None:
    usage = item("event_msg", type="token_count", info={"total_token_usage": USED})
    opened(tmp_path, [*called(1, APPLIED.format(0)), *called(2, APPLIED.format(1)), usage])
    store = str(tmp_path / "root")
    lines = [line.partition("  (")[0] for line in run("show", SESSION, "--root", store)[1].splitlines()]
    assert "Tokens         650: 600 input, 50 output" in lines
    assert "Cache          100 read, 300 written" in lines
    assert "Files          1.py +2 -1" in lines
    results = [line.partition("user ")[2] for line in lines if "tool_result" in line]
    assert results == ["tool_result", "tool_result failed"]
    exported = run("export", SESSION, "--root", store)[1]
    assert exported.count("## User, tool_result (") == exported.count("## User, tool_result, failed (") == 1


def test_a_parent_shows_the_tokens_of_its_children_too(root: Path, run: Run) -> None:
    add_subagent(root)
    shown = run("show", MAIN, "--root", str(root))[1]
    assert "\nWith children  1,303\n" in shown


def test_a_session_of_several_models_shows_the_tokens_of_each(tmp_path: Path, run: Run) -> None:
    records = [claude_answer(number, model, 5) for number, model in enumerate(["opus", "haiku"])]
    append(tmp_path / "projects" / "-w" / f"{CLAUDE}.jsonl", records)
    assert "By model       opus 105, haiku 105\n" in run("show", CLAUDE, "--root", str(tmp_path))[1]


def test_one_task_is_not_several(root: Path, cli: Cli, run: Run) -> None:
    assert f"{root}: 1 task\n" in run("doctor", "--root", str(root))[1]
    assert "\n1 task\n" in cli.on_terminal("list", "--root", str(root), NO_COLOR="1").replace("\r", "")
