"""No command that reads stored tasks changes anything in the stores of other agents."""

import json
from pathlib import Path

import pytest

from sidecar.cli.main import group
from tests.cli.conftest import Run
from tests.history.stores.fixtures.all_stores import all_stores

READING = {"list", "search", "stats", "show", "export", "doctor"}
ELSEWHERE = {"serve", "mcp"}
"""Commands whose requests other tests send."""
OTHERS = {
    *("agents", "launch", "ps", "logs", "answer", "send", "cancel", "reorder", "start-now"),
    *("wait", "host", "fleet", "corpus", "demo"),
}
"""Commands that open no store of stored tasks."""


@pytest.mark.slow
def test_no_command_changes_a_store(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "home"
    for name, folder in {"HOME": "home", "SIDECAR_CACHE_DIR": "cache", "SIDECAR_STORAGE_ROOT": "own"}.items():
        monkeypatch.setenv(name, str(tmp_path / folder))
    for name in ("XDG_DATA_HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME", "COPILOT_HOME", "CLINE_DATA_DIR"):
        monkeypatch.delenv(name, raising=False)
    config = tmp_path / "config" / "subagent-sidecar" / "config.toml"
    config.parent.mkdir(parents=True)
    config.write_text("[history]\nautoDiscover = true\nestimateCost = true\n")
    with all_stores(home) as stores:
        calls = [
            ("list", "--children", "--json"),
            ("list", "--query", "file:a.ts", "--text"),
            ("list", "--rules", "guide"),
            ("search", "parser"),
            ("stats", "--json"),
            ("doctor", "--json"),
        ]
        for product, sessions in stores.sessions.items():
            root = ("--root", str(stores.roots[product]))
            calls += [
                ("list", *root),
                ("show", sessions[0], *root),
                ("show", sessions[-1], "--json"),
                ("export", sessions[0], *root, "--format", "json"),
            ]
        listed: set[str] = set()
        for call in calls:
            code, out, err = run(*call)
            assert code == 0, (call, err)
            if call[1:] == ("--children", "--json"):
                listed = {row["product"] for row in json.loads(out)["items"]}
            stores.assert_unchanged()
    assert listed == stores.sessions.keys()
    assert {call[0] for call in calls} == READING
    assert {*group.list_commands(None)} == READING | ELSEWHERE | OTHERS  # type: ignore[arg-type]
