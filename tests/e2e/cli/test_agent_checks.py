"""`agents doctor` and `agents check` with scripted agents: what they find, print and return."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.conftest import REPO

pytestmark = [pytest.mark.slow, pytest.mark.timeout(120)]


def run(tmp_path: Path, *arguments: str, flaws: tuple[str, ...] = ()) -> tuple[int, str, str]:
    """Run the command with one agent in its settings; return its status and output."""
    agent = [sys.executable, str(REPO / "tests" / "agents" / "conforming.py"), *flaws]
    config = tmp_path / "config.toml"
    config.write_text(f'[runners.mine]\ntype = "acp"\ncommand = {json.dumps(agent)}\n')
    command = [sys.executable, "-m", "sidecar", "agents", *arguments, "--config", str(config)]
    environment = {
        **os.environ,
        "HOME": str(tmp_path),
        "PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin",
        "PYTHONPATH": str(REPO),
    }
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=100, check=False)
    return done.returncode, done.stdout, done.stderr


def test_doctor_opens_a_session_with_each_agent_and_prints_a_table(tmp_path: Path) -> None:
    status, out, _ = run(tmp_path, "doctor")
    assert status == 0
    head, row = out.splitlines()
    assert head.split() == ["RUNNER", "VERSION", "SESSION", "MODE", "MODES", "MODELS", "SECONDS"]
    assert row.split()[:6] == ["mine", "1.2.3", "ok", "default", "default,", "auto"]


def test_doctor_reports_an_agent_that_needs_a_sign_in(tmp_path: Path) -> None:
    status, out, _ = run(tmp_path, "doctor", "mine", "--json", flaws=("signed-out",))
    assert status == 1
    (report,) = json.loads(out)
    assert (report["name"], report["opened"], report["auth"]["needed"]) == ("mine", False, True)
    assert "requires authentication" in report["error"]


def test_doctor_names_the_command_that_signs_in(tmp_path: Path) -> None:
    _, out, _ = run(tmp_path, "doctor", "mine", flaws=("signed-out",))
    row, how = out.splitlines()[1:]
    assert "sign in" in row
    assert how.startswith("To sign in to mine: ")
    assert how.endswith("conforming.py signed-out login")


def results(tmp_path: Path, *flaws: str) -> tuple[int, dict[str, Any]]:
    status, out, _ = run(tmp_path, "check", "mine", "--json", flaws=flaws)
    return status, {each["name"]: each.get("passed") for each in json.loads(out)}


def test_an_agent_that_does_everything_right_passes_every_check(tmp_path: Path) -> None:
    assert results(tmp_path) == (
        0,
        {
            "opens a session in which it asks": True,
            "asks before a write": True,
            "asks before a command": True,
            "acts after permission": True,
            "reports tokens": True,
            "asks a person a question": True,
            "stops on request": True,
            "leaves no process": True,
        },
    )


def test_an_agent_that_acts_without_asking_fails_both_checks(tmp_path: Path) -> None:
    status, found = results(tmp_path, "silent", "uncounted")
    assert status == 1
    assert (found["asks before a write"], found["asks before a command"]) == (False, False)
    assert found["reports tokens"] is False


def test_a_model_that_does_not_try_proves_nothing(tmp_path: Path) -> None:
    status, found = results(tmp_path, "idle")
    assert status == 0
    assert (found["asks before a write"], found["acts after permission"]) == (None, None)
    assert found["asks a person a question"] is None


@pytest.mark.parametrize(
    ("flaw", "check", "passed"),
    [
        ("deaf", "stops on request", False),
        ("hasty", "stops on request", None),
        ("leaving", "leaves no process", False),
        ("trailing", "leaves no process", True),
        ("elsewhere", "asks before a write", False),
        ("silent", "acts after permission", None),
    ],
)
def test_what_the_agent_does_is_checked_before_it_is_killed(
    tmp_path: Path, flaw: str, check: str, passed: bool | None
) -> None:
    _, found = results(tmp_path, flaw)
    assert found[check] is passed
    others = [name for name, each in found.items() if each is False and name != check]
    assert others == ([] if flaw in ("deaf", "hasty", "leaving", "trailing") else others)


def test_an_unknown_name_of_an_agent_is_wrong_use(tmp_path: Path) -> None:
    status, _, err = run(tmp_path, "check", "nosuch")
    assert status == 2
    assert "'nosuch' is not an agent; agents found: mine" in err
