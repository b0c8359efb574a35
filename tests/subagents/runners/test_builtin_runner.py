import importlib.util
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sidecar.api.settings import RunnerSettings
from sidecar.subagents.runners.builtin_runner import BuiltinRunner
from sidecar.subagents.runners.contract import RunnerUnavailable, RunSpec
from sidecar.subagents.runners.registry import build_runners, unlisted_runner

KEY = {"OPENAI_API_KEY": "k"}


@pytest.fixture(autouse=True)
def _no_keys(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "SIDECAR_AGENT_PROVIDER", "SIDECAR_AGENT_MODEL"):
        monkeypatch.delenv(name, raising=False)
    yield


def runner(env: dict[str, str], command: list[str] | None = None) -> BuiltinRunner:
    return BuiltinRunner("mine", RunnerSettings(type="builtin", env=env, command=command))


async def ignore(event: dict[str, Any]) -> None:
    pass


def test_without_its_library_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(RunnerUnavailable, match=r'pip install "subagent-sidecar\[builtin\]"'):
        runner(KEY).check()


def test_a_key_is_enough_to_be_available_and_none_is_named() -> None:
    runner(KEY).check()
    with pytest.raises(RunnerUnavailable, match=r"runner 'mine': no provider.*runners\.mine\.env"):
        runner({}).check()


def test_a_command_of_ones_own_is_another_type() -> None:
    with pytest.raises(RunnerUnavailable, match=r"takes no command; take runners\.mine\.command away"):
        runner(KEY, ["agent"]).check()


async def test_a_run_without_a_model_is_not_started(tmp_path: Path) -> None:
    with pytest.raises(RunnerUnavailable, match="no model: set SIDECAR_AGENT_MODEL"):
        await runner(KEY).start(RunSpec("id", "do it", tmp_path), ignore)


async def test_a_model_that_is_an_option_is_not_started(tmp_path: Path) -> None:
    with pytest.raises(RunnerUnavailable, match="runner 'mine': model '--help' is not a name"):
        await runner(KEY).start(RunSpec("id", "do it", tmp_path, model="--help"), ignore)


def test_it_is_the_last_of_the_runners_where_it_can_be_used(monkeypatch: pytest.MonkeyPatch) -> None:
    settings = {"here": RunnerSettings(type="command", command=["sh"])}
    assert "builtin" not in build_runners(settings)
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    assert list(build_runners(settings))[-1] == "builtin"


def test_a_known_name_that_is_not_listed_says_what_is_missing() -> None:
    for name, missing in (("builtin", "no provider"), ("qwen", "'qwen' is not found")):
        known = unlisted_runner(name)
        assert known is not None
        with pytest.raises(RunnerUnavailable, match=missing):
            known.check()
    assert unlisted_runner("somebody") is None
