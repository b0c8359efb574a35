"""No command lets a stored task, a definition or an agent write control characters to a terminal."""

import json
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecar.printable import plain, printable, printable_json
from tests.cli.program import Cli

# A title, a cleared screen and a bell of the terminal; 8-bit, deleting, bidi and zero-width characters.
HOSTILE = "needle\x1b]0;PWNED\x07\x1b[2J\x9b31m\x7f\u202e\u2066\u200f\u200b\U000e0041\rhay"
TASK_ID = "11111111-1111-4111-8111-111111111111"
TWIN_ID = "11111111-1111-4111-8111-222222222222"
UNSEEN = {"Cc", "Cf", "Cs", "Zl", "Zp"}

Command = Callable[["Hostile"], list[str]]


class Hostile:
    """A store, definitions and runners whose every text is hostile."""

    def __init__(self, cli: Cli) -> None:
        self.cli = cli
        self.store = cli.home / "store"
        for task_id in (TASK_ID, TWIN_ID, f"odd {HOSTILE}\nforged"):
            _write_task(self.store / "tasks" / task_id)
        agents = cli.workspace / ".sidecar" / "agents"
        agents.mkdir(parents=True)
        (agents / f"{HOSTILE}\n::error::forged.md").write_text("---\nname\n")
        (agents / "sound.md").write_text(
            f"---\nname: sound\ndescription: {json.dumps(HOSTILE)}\nrunner: cat\n---\n"
        )
        event = {"type": "message", "text": HOSTILE}
        tool = {"type": "tool", "name": HOSTILE, "status": "started"}
        emit = {"type": "emit", "name": HOSTILE, "value": HOSTILE}
        self._add_runner("talker", "\n".join(map(json.dumps, (event, tool, emit))), "cat printed", "events")
        self._add_runner("failure", HOSTILE, "cat printed >&2; exit 3", "text")

    def run(self, runner: str) -> str:
        """Launch to the end and return the id."""
        return self.cli.run("launch", runner, HOSTILE, "--wait").stdout.split("\n", 1)[0]

    def _add_runner(self, name: str, printed: str, script: str, form: str) -> None:
        config = self.cli.home / "config" / "subagent-sidecar"
        (config / name).mkdir()
        (config / name / "printed").write_text(printed)
        argv = ["sh", "-c", f"cd '{config / name}'; {script}"]
        head = f"---\nname: {name}\ndescription: d\nrunner: {name}\n---\n"
        (config / "agents" / f"{name}.md").write_text(head)
        with (config / "config.toml").open("a") as settings:
            settings.write(f'[runners.{name}]\ntype = "command"\nformat = "{form}"\n')
            settings.write(f"command = {json.dumps(argv)}\n")


@pytest.fixture
def hostile(cli: Cli) -> Hostile:
    return Hostile(cli)


def of_store(*words: str) -> Command:
    return lambda hostile: [*words, "--root", str(hostile.store)]


def of_definitions(*words: str) -> Command:
    return lambda _: list(words)


def of_run(runner: str, *words: str) -> Command:
    return lambda hostile: [words[0], hostile.run(runner), *words[1:]]


COMMANDS = {
    " ".join(words): of_store(*words)
    for words in (
        ("list",),
        ("list", "--text"),
        ("list", "--text", "--rules", "guide"),
        ("list", "--json"),
        ("show", TASK_ID),
        ("show", "1111"),
        ("show", TASK_ID, "--json"),
        ("export", TASK_ID),
        ("export", TASK_ID, "--format", "json"),
        ("search", "needle"),
        ("search", "needle", "--json"),
        ("stats",),
        ("stats", "--json"),
        ("doctor",),
        ("doctor", "--json"),
    )
}
COMMANDS |= {
    " ".join(words).replace(HOSTILE, "HOSTILE"): of_definitions(*words)
    for words in (
        ("agents", "--trust"),
        ("agents", "--trust", "--json"),
        ("agents", "validate"),
        ("agents", "validate", "--json"),
        ("agents", "validate", HOSTILE),
        ("launch", "talker", HOSTILE, "--wait"),
        ("launch", "failure", HOSTILE, "--wait"),
        ("launch", "talker", HOSTILE, "--wait", "--json"),
    )
}
COMMANDS |= {
    f"{words[0]} a {runner}": of_run(runner, *words)
    for runner in ("talker", "failure")
    for words in (("wait",), ("logs",), ("cancel",))
}
COMMANDS |= {
    "ps": lambda hostile: ["ps", *([] if hostile.run("talker") else ["nothing ran"])],
    "ps --json": lambda hostile: ["ps", "--json", *([] if hostile.run("talker") else ["nothing ran"])],
}
SHOWN = {"wait a talker": "completed", "cancel a talker": "completed", "cancel a failure": "failed"}
"""What commands show that print nothing of an agent."""


@pytest.mark.parametrize("name", COMMANDS)
def test_no_control_character_reaches_a_terminal(hostile: Hostile, name: str) -> None:
    shown = hostile.cli.on_terminal(*COMMANDS[name](hostile), NO_COLOR="1", COLUMNS="600")
    assert SHOWN.get(name, "PWNED") in shown
    assert unseen(shown) == []


def test_a_terminal_that_reads_only_stderr_is_spared_too(hostile: Hostile, tmp_path: Path) -> None:
    task_id, kept = hostile.run("talker"), tmp_path / "kept"
    shown = hostile.cli.on_terminal("logs", task_id, stdout=kept)
    assert "PWNED" in shown
    assert unseen(shown) == []
    assert HOSTILE in kept.read_bytes().decode()


@pytest.mark.parametrize("words", [["agents", "validate"], ["agents", "--trust"]])
def test_a_file_name_forges_no_line_in_a_pipe(hostile: Hostile, words: list[str]) -> None:
    done = hostile.cli.run(*words)
    assert "::error::forged.md" in done.stdout + done.stderr
    assert not any(line.startswith("::error::") for line in (done.stdout + done.stderr).splitlines())


def test_a_folder_name_forges_no_line_of_the_doctor(hostile: Hostile) -> None:
    done = hostile.cli.run("doctor", "--root", str(hostile.store))
    assert "forged" in done.stdout
    assert not any(line.startswith("forged") for line in done.stdout.splitlines())


def test_json_on_a_terminal_says_the_same_as_in_a_pipe(hostile: Hostile) -> None:
    words = ["show", TASK_ID, "--json", "--root", str(hostile.store)]
    assert json.loads(hostile.cli.on_terminal(*words)) == json.loads(hostile.cli.run(*words).stdout)


json_values = st.recursive(st.none() | st.integers() | st.text(), lambda inner: st.lists(inner))


@given(json_values)
def test_printable_json_has_the_same_value_and_only_printable_characters(value: Any) -> None:
    shown = printable_json(json.dumps(value, ensure_ascii=False))
    assert json.loads(shown) == value
    assert unseen(shown) == []


@given(st.text())
def test_printable_text_keeps_its_lines_and_a_plain_one_is_one(text: str) -> None:
    assert unseen(printable(text)) == []
    assert printable(text).count("\n") == text.count("\n")
    assert unseen(plain(text), allowed="") == []


def unseen(shown: str, allowed: str = "\n\t") -> list[str]:
    """Return the characters that a person does not see; a terminal itself makes CR LF of each LF."""
    lines = shown.replace("\r\n", "\n")
    return [char for char in lines if unicodedata.category(char) in UNSEEN and char not in allowed]


def _write_task(folder: Path) -> None:
    folder.mkdir(parents=True)
    printed = {"ts": 1_700_000_000_000, "type": "say", "say": "text", "text": HOSTILE}
    (folder / "api_conversation_history.json").write_text(json.dumps([{"role": "user", "content": HOSTILE}]))
    (folder / "ui_messages.json").write_text(json.dumps([printed]))
    item = {"id": folder.name, "task": HOSTILE, "mode": HOSTILE, "workspace": HOSTILE}
    (folder / "history_item.json").write_text(json.dumps(item))
