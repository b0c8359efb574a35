"""The table of docs/agents.md that `scripts/conformance` writes: what is in it, and that it is not stale."""

import re
from typing import Any

from scripts.conformance_table import BEGIN, END, PACKAGES, PAGE, render, with_table
from sidecar.subagents.runners.acp.check.kit import CHECKS
from tests.e2e.conftest import REPO

Json = dict[str, Any]

STALE = "run scripts/conformance"


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip("|").split("|")]


def written() -> list[list[str]]:
    """Return the rows of the table, that of the heads first."""
    text = PAGE.read_text().partition(BEGIN)[2].partition(END)[0]
    return [cells(line) for line in text.splitlines() if line.startswith("|")]


def test_the_table_has_a_row_for_each_check() -> None:
    _, _, *rows = written()
    assert [row[0] for row in rows] == list(CHECKS), STALE


def test_the_table_has_the_agents_and_versions_that_the_tests_install() -> None:
    script = (REPO / "scripts" / "agents").read_text()
    pinned = dict(re.findall(r"(?<![\w@/])(@?[\w./-]+)@(\d[\w.-]*)", script))
    heads = written()[0][1:]
    assert heads == [f"`{agent}` {pinned[package]}" for agent, package in PACKAGES.items()], STALE


def test_what_is_not_passed_is_explained_below_the_table() -> None:
    results: dict[str, list[Json]] = {
        "one": [{"name": "asks", "passed": True, "detail": "touch x"}],
        "two": [{"name": "asks", "passed": False, "detail": "it wrote\n*x*"}],
        "three": [{"name": "asks", "detail": "its model did not try"}],
    }
    text = render(results, {"one": "1.0", "two": "2.0", "three": "3.0"})
    head, _, row, *details = text.splitlines()
    assert cells(head) == ["check", "`one` 1.0", "`two` 2.0", "`three` 3.0"]
    assert cells(row) == ["asks", "yes", "**no**", "unknown"]
    assert details == ["", "- `two`, asks: it wrote \\*x\\*", "- `three`, asks: its model did not try"]


def test_an_agent_that_opens_no_session_has_no_further_results() -> None:
    results: dict[str, list[Json]] = {
        "one": [{"name": "opens", "passed": False, "detail": "no key"}],
        "two": [
            {"name": "opens", "passed": True, "detail": "ok"},
            {"name": "asks", "passed": True, "detail": "ok"},
        ],
    }
    rows = render(results, {"one": "1.0", "two": "2.0"}).splitlines()
    assert cells(rows[3]) == ["asks", "not run", "yes"]


def test_only_what_is_between_the_marks_is_replaced() -> None:
    page = f"before\n{BEGIN}old\n{END}after\n"
    once = with_table(page, "| new |\n")
    assert once == f"before\n{BEGIN}\n| new |\n\n{END}after\n"
    assert with_table(once, "| new |\n") == once
