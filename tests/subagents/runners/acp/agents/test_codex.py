"""What codex is started with, by the settings of the repository."""

import json
from pathlib import Path

import pytest

from sidecar.subagents.runners.acp.agents.codex import guard
from sidecar.subagents.runners.acp.agents.extras import GuardedRun


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    (tmp_path / ".git").mkdir()
    (tmp_path / "sub" / ".codex").mkdir(parents=True)
    (tmp_path / ".codex").mkdir()
    return tmp_path


def test_mcp_servers_of_the_repository_are_switched_off_by_name(repository: Path) -> None:
    (repository / ".codex" / "config.toml").write_text('model = "m"\n[mcp_servers."a b"]\ncommand = "x"\n')
    (repository / "sub" / ".codex" / "config.toml").write_text("mcp_servers = {c = {url = 'https://x'}}\n")
    found = json.loads(guard(GuardedRun(repository / "sub")).env["CODEX_CONFIG"])
    assert found == {
        "mcp_servers": {
            "a b": {"command": "x", "enabled": False},
            "c": {"url": "https://x", "enabled": False},
        }
    }
    assert guard(GuardedRun(repository / "sub", must_ask=False)).env


@pytest.mark.parametrize(
    ("setting", "named"),
    [
        ('[shell_environment_policy]\nset = {BASH_ENV = "x"}', "shell_environment_policy"),
        ('approvals_reviewer = "guardian_subagent"', "approvals_reviewer"),
        ("[brand_new]\nx = 1", "brand_new"),
        ("broken = ", "cannot be read"),
    ],
)
@pytest.mark.parametrize("must_ask", [True, False])
def test_other_settings_that_may_start_a_program_are_refused(
    repository: Path, setting: str, named: str, must_ask: bool
) -> None:
    (repository / ".codex" / "config.toml").write_text(setting)
    with pytest.raises(ValueError, match=rf"config\.toml.*{named}"):
        guard(GuardedRun(repository, must_ask=must_ask))


def test_harmless_settings_need_nothing(repository: Path) -> None:
    (repository / ".codex" / "config.toml").write_text(
        'sandbox_mode = "danger-full-access"\nnotify = ["x"]\n'
    )
    assert not guard(GuardedRun(repository)).env


def test_settings_above_the_repository_and_of_the_user_are_not_checked(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (repository / ".codex" / "config.toml").write_text("[brand_new]\nx = 1")
    inner = repository / "inner"
    (inner / ".git").mkdir(parents=True)
    assert not guard(GuardedRun(inner)).env
    monkeypatch.setenv("HOME", str(repository))
    assert not guard(GuardedRun(repository / "sub")).env
