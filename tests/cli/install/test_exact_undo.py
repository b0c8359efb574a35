"""What `mcp --install` wrote goes to the byte, whatever the user wrote around or into it since."""

from pathlib import Path

import pytest

from sidecar.cli.install.agents import AGENTS, NAME, server_command
from sidecar.cli.install.change import backup_path
from sidecar.cli.install.plan import plan_install, plan_uninstall

ORIGINALS = {
    "json": [
        "",
        "{}",
        "{ }",
        "{ }\n",
        "{\n}\n",
        '{"CONTAINER": {}}',
        '{"CONTAINER": { }}\n',
        '{"CONTAINER": {\n\n}, // kept\n}',
        '{"CONTAINER": {"o": {}}, "n": NaN}',
        '{\r\n\t"CONTAINER": {\r\n\t}\r\n}\r\n',
        '{\r\n  "theme": "dark"\r\n}',
        '// top\n{\n  "CONTAINER": {\n    // none yet\n  },\n}\n',
        "// only a comment",
        "\ufeff{ }",
    ],
    "toml": [
        "",
        "model = 'x'",
        "model = 'x'  # mine",
        "# only a comment",
        "model = 'x'\r\n",
        "a = 1\r\nmodel = 'x'",
        "[CONTAINER.o]\ncommand = 'x'",
        "[CONTAINER]\n\n\n",
        "\ufeffmodel = nan",
    ],
}
CASES = [(agent, text) for agent in ("claude", "codex") for text in ORIGINALS[AGENTS[agent].format]]
ABOVE = {"json": "// above\n", "toml": "# above\n"}
BELOW = {"json": "\n// below\n", "toml": "\n# below\n[next]\na = 1\n"}
WITHIN = {"json": ('"type"', '"env": {"A": "$A"}, // mine\n"type"'), "toml": ("env_vars", "# mine\nenv_vars")}


def installed(path: Path, agent: str, text: str) -> str:
    path.write_bytes(text.replace("CONTAINER", AGENTS[agent].container).encode())
    change = plan_install([path], AGENTS[agent], server_command([]))
    assert change is not None
    change.apply()
    return path.read_bytes().decode()


def uninstalled(path: Path, agent: str, text: str) -> str:
    path.write_bytes(text.encode())
    for change in plan_uninstall([path], AGENTS[agent]):
        change.apply()
    assert not backup_path(path).exists()
    return path.read_bytes().decode()


@pytest.mark.parametrize("edit", ["above", "below", "within", "all"])
@pytest.mark.parametrize(("agent", "text"), CASES)
def test_an_edit_stays_and_all_else_becomes_as_it_was(
    tmp_path: Path, agent: str, text: str, edit: str
) -> None:
    form, path = AGENTS[agent].format, tmp_path / "config"
    above = ABOVE[form] if edit in ("above", "all") and not text.startswith("\ufeff") else ""
    below = BELOW[form] if edit in ("below", "all") else ""
    written = installed(path, agent, text)
    if edit in ("within", "all"):
        written = written.replace(*WITHIN[form])
    left = uninstalled(path, agent, above + written + below)
    assert left == above + text.replace("CONTAINER", AGENTS[agent].container) + below


@pytest.mark.parametrize("last", ["model = 'x'", "# a comment", "a = 1\r\nb = 2"])
def test_a_table_written_below_keeps_a_line_of_its_own(tmp_path: Path, last: str) -> None:
    path, end = tmp_path / "config", "\r\n" if "\r\n" in last else "\n"
    written = installed(path, "codex", last)
    assert uninstalled(path, "codex", f"{written}[next]{end}") == f"{last}{end}[next]{end}"


def test_an_entry_of_the_users_own_comes_back_into_an_edited_file(tmp_path: Path) -> None:
    path, own = tmp_path / "config", f'{{"mcpServers": {{"{NAME}": {{"command": "mine"}}}}}}'
    written = installed(path, "claude", own)
    edited = "// later\n" + written.replace('"mcpServers": {', '"mcpServers": {"o": {"n": null}, ')
    restored = "// later\n" + own.replace('"mcpServers": {', '"mcpServers": {"o": {"n": null}, ')
    assert uninstalled(path, "claude", edited) == restored


@pytest.mark.parametrize(("agent", "text"), CASES)
def test_a_changed_option_changes_nothing_but_the_entry(tmp_path: Path, agent: str, text: str) -> None:
    path, form = tmp_path / "config", AGENTS[agent].format
    written = installed(path, agent, text) + BELOW[form]
    path.write_bytes(written.encode())
    change = plan_install([path], AGENTS[agent], server_command(["--trust"]))
    assert change is not None
    assert change.after is not None
    assert "--trust" in change.after
    assert (
        uninstalled(path, agent, change.after)
        == text.replace("CONTAINER", AGENTS[agent].container) + BELOW[form]
    )
