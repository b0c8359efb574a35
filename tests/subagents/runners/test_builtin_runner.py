import importlib.util
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sidecar.api.settings import RunnerSettings
from sidecar.subagents.runners.builtin_runner import BuiltinRunner
from sidecar.subagents.runners.contract import RunnerUnavailable, RunSpec
from sidecar.subagents.runners.registry import build_runners, describe_runners, unlisted_runner

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
    with pytest.raises(RunnerUnavailable, match=r"takes no command; remove runners\.mine\.command"):
        runner(KEY, ["agent"]).check()


async def test_a_run_without_a_model_is_not_started(tmp_path: Path) -> None:
    with pytest.raises(RunnerUnavailable, match="no model is set; set SIDECAR_AGENT_MODEL"):
        await runner(KEY).start(RunSpec("id", "do it", tmp_path), ignore)


async def test_a_model_that_reads_like_an_option_is_refused(tmp_path: Path) -> None:
    spec = RunSpec("id", "do it", tmp_path, model="--settings-from=0")
    with pytest.raises(RunnerUnavailable, match="'--settings-from=0' is not a valid model name"):
        await runner(KEY).start(spec, ignore)


def described(monkeypatch: pytest.MonkeyPatch, **environ: str) -> dict[str, Any] | None:
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    items = describe_runners(build_runners({}).values())
    return next((item for item in items if item["name"] == "builtin"), None)


def test_without_any_key_it_is_not_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    assert described(monkeypatch) is None


def test_with_two_keys_it_is_listed_and_says_what_to_set(monkeypatch: pytest.MonkeyPatch) -> None:
    listed = described(monkeypatch, OPENAI_API_KEY="a", ANTHROPIC_API_KEY="b", SIDECAR_AGENT_MODEL="m")
    assert listed is not None
    assert not listed["available"]
    assert "are set; set SIDECAR_AGENT_PROVIDER to openai or anthropic" in listed["reason"]


def test_with_a_key_and_no_model_it_says_so_and_with_both_it_is_available(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    listed = described(monkeypatch, OPENAI_API_KEY="a")
    assert listed is not None
    assert not listed["available"]
    assert "no model is set; set SIDECAR_AGENT_MODEL, or `model` in the definition" in listed["reason"]
    listed = described(monkeypatch, SIDECAR_AGENT_MODEL="m")
    assert listed is not None
    assert (listed["type"], listed["available"], listed["reason"]) == ("builtin", True, None)


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
