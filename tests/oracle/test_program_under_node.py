"""What the program prints under the `guide` rules is what the guide prints under Node, to the byte."""

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from sidecar.cli.main import main
from tests.generator import ERAS, generate, write_hostile
from tests.generator import HOSTILE as ALL_HOSTILE
from tests.generator.hostile import Hostile
from tests.oracle import traps
from tests.oracle.conftest import NOW_MS, Oracle
from tests.oracle.test_guide_under_node import FILTERS

Print = Callable[..., bytes]
ENDLESS = {
    "slugs_without_a_name",
    "openings_without_an_end",
    "workspaces_without_a_bracket",
    "usage_heads_without_a_cost",
    "environments_inside_each_other",
}
GENERATED, HOSTILE, TRAPS = "generated", "hostile", "traps"
MORE_FILTERS = [*FILTERS, "a", "un", "fail", "😀", "ORM", "(", "0", "\u0130", "ß", "Infinity", "null", "é"]
PARTS = 3
"""Tests among which the filters are divided: most of the traps are read again for every list."""


def is_listed(kind: Hostile) -> bool:
    """Leave out links, pipes and what is too large, which are not read, and what Node takes minutes for."""
    return not kind.codes & {"notRegular", "tooLarge", "unreadable"} and kind.name not in ENDLESS


@pytest.fixture(scope="module")
def roots(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    base = tmp_path_factory.mktemp("roots")
    traps.write_root(base / TRAPS, traps.traps())
    for era in ERAS:
        generate(base / GENERATED, era, 8)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tests.generator.hostile.HOSTILE", [each for each in ALL_HOSTILE if is_listed(each)])
        write_hostile(base / HOSTILE)
    return {name: base / name for name in (GENERATED, HOSTILE, TRAPS)}


@pytest.fixture
def printed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> Iterator[Print]:
    """Run `list --rules guide` in this process; the same cache serves a whole test."""
    for name, value in {
        "TZ": "UTC",
        "SIDECAR_NOW_MS": str(NOW_MS),
        "SIDECAR_CACHE_DIR": str(tmp_path / "cache"),
        "HOME": str(tmp_path),
        "XDG_CONFIG_HOME": str(tmp_path / "config"),
    }.items():
        monkeypatch.setenv(name, value)
    time.tzset()

    def run(root: Path, form: str, filter: str) -> bytes:
        arguments = ["list", "--root", str(root), "--rules", "guide", form, "--limit", "20000"]
        assert main([*arguments, *(["--filter", filter] if filter else [])]) == 0
        return capfdbinary.readouterr().out

    yield run
    monkeypatch.undo()
    time.tzset()


def guides(item: dict[str, Any]) -> dict[str, Any]:
    """Of a listed task, what the guide has too."""
    names = ("id", "createdAt", "lastActivity", "status", "title", "mode", "tokenUsage", "messageCount")
    found = {name: item[name] for name in names}
    return found | {name: item[name] for name in ("duration", "workspaceDir") if name in item}


def same(printed: Print, oracle: Oracle, root: Path, filters: list[str]) -> None:
    for filter, (text, tasks) in zip(filters, oracle.answers(root, filters), strict=True):
        assert printed(root, "--text", filter) == text, filter
        items = json.loads(printed(root, "--json", filter))["items"]
        assert [guides(item) for item in items] == tasks, filter


@pytest.mark.parametrize(
    "name", [GENERATED, *(pytest.param(name, marks=pytest.mark.slow) for name in (HOSTILE, TRAPS))]
)
def test_a_root_is_printed_as_by_node_with_a_cold_and_a_warm_index(
    printed: Print, oracle: Oracle, roots: dict[str, Path], name: str
) -> None:
    same(printed, oracle, roots[name], ["", ""])


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("name", [GENERATED, TRAPS])
def test_every_filter_keeps_what_it_keeps_under_node(
    printed: Print, oracle: Oracle, roots: dict[str, Path], name: str, part: int
) -> None:
    same(printed, oracle, roots[name], MORE_FILTERS[part::PARTS])


def test_an_empty_root_is_printed_as_by_node(printed: Print, oracle: Oracle, tmp_path: Path) -> None:
    (tmp_path / "nothing").mkdir()
    same(printed, oracle, tmp_path / "nothing", ["", "x"])


def test_infinite_tokens_are_printed_with_a_cold_and_a_warm_index(printed: Print, tmp_path: Path) -> None:
    traps.write_root(tmp_path / "root", {"infinite": traps.traps()["body-usage-infinite"]})
    for _ in range(2):
        text = printed(tmp_path / "root", "--text", "")
        assert "- **Tokens**: ∞ tokens ($Infinity)" in text.decode().splitlines()
        assert {"total": None, "cost": None} in [
            item["tokenUsage"] for item in json.loads(printed(tmp_path / "root", "--json", ""))["items"]
        ]
