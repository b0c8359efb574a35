"""A list without --root names the stores that it could show."""

from pathlib import Path

import pytest

from sidecar.corpus.copilot import write_copilot
from sidecar.corpus.gemini import write_gemini
from tests.cli.program import Cli

pytestmark = pytest.mark.slow  # starts a process for each command


def store(folder: Path) -> Path:
    folder.mkdir()
    return folder


def test_a_list_names_the_stores_on_this_machine_and_how_to_list_them(cli: Cli) -> None:
    write_gemini(store(cli.home / ".gemini"))
    write_copilot(store(cli.home / ".copilot"))
    done = cli.run("list")
    assert done.returncode == 0
    assert f"{cli.home / '.gemini'}: chats of Gemini CLI" in done.stderr
    assert f"{cli.home / '.copilot'}: sessions of Copilot CLI" in done.stderr
    assert "--root PATH" in done.stderr and "autoDiscover = true" in done.stderr
    assert str(cli.home / "config") in done.stderr
    for arguments in (("list", "--json"), ("list", "--text"), ("list", "--root", str(cli.home / ".gemini"))):
        assert cli.run(*arguments).stderr == ""


def test_empty_totals_and_searches_name_the_stores_too(cli: Cli) -> None:
    write_copilot(store(cli.home / ".copilot"))
    for arguments in (("stats",), ("search", "word")):
        assert f"{cli.home / '.copilot'}: sessions of Copilot CLI" in cli.run(*arguments).stderr
        assert cli.run(*arguments, "--json").stderr == ""
        assert cli.run(*arguments, "--root", str(cli.home / ".copilot")).stderr == ""


def test_a_store_that_is_listed_is_not_offered(cli: Cli, tmp_path: Path) -> None:
    root = store(cli.home / ".gemini")
    truths = write_gemini(root)
    settings = tmp_path / "all.toml"
    settings.write_text("[history]\nautoDiscover = true\n")
    done = cli.run("list", "--config", str(settings))
    assert done.stderr == ""
    assert all(truth.id in done.stdout for truth in truths if truth.listed)


def test_a_list_of_children_and_estimates_is_a_choice(cli: Cli, tmp_path: Path) -> None:
    root = store(cli.home / ".copilot")
    write_copilot(root)
    settings = tmp_path / "estimates.toml"
    settings.write_text("[history]\nestimateCost = true\n")
    plain = cli.run("list", "--root", str(root))
    estimated = cli.run("list", "--root", str(root), "--config", str(settings))
    assert "~$" not in plain.stdout and "~$" in estimated.stdout
    stats = cli.run("stats", "--root", str(root), "--config", str(settings))
    assert "ESTIMATED" in stats.stdout
    assert "genai-prices" in cli.run("doctor", "--root", str(root)).stdout
