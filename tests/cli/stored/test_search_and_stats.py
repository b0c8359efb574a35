"""`search` and `stats`: words in all messages, and what tasks used."""

import json
from pathlib import Path
from typing import Any

import pytest

from sidecar.api.stored.search import SearchParams, SearchResult
from sidecar.history.search import SearchService
from sidecar.history.task_history import TaskHistory
from tests.cli.conftest import Run
from tests.cli.program import Cli


def cells(table: str) -> list[dict[str, str]]:
    head, *rows = (line.split("\t") for line in table.splitlines())
    return [dict(zip(head, row, strict=True)) for row in rows]


def test_search_waits_for_the_index_and_prints_a_hit_a_line(run: Run, root: Path) -> None:
    code, out, err = run("search", "done", "--root", str(root))
    assert (code, err) == (0, "")
    hits = cells(out)
    assert hits and all("Done" in hit["SNIPPET"] and "\x02" not in hit["SNIPPET"] for hit in hits)
    assert {hit["ID"] for hit in hits} <= {path.name for path in (root / "tasks").iterdir()}
    assert all(hit["MESSAGE"].split()[0] in ("ui", "api") for hit in hits)


@pytest.mark.parametrize(("reads_on", "searched"), [(True, ""), (False, "0 of 1 tasks were searched")])
def test_search_ends_early_only_if_nothing_more_is_read(
    run: Run, root: Path, monkeypatch: pytest.MonkeyPatch, reads_on: bool, searched: str
) -> None:
    indexed = iter([0, 0, 0, 1])

    def search(self: SearchService, history: TaskHistory, params: SearchParams) -> SearchResult:
        return SearchResult(hits=[], indexed=next(indexed), total=1, revision=0)

    monkeypatch.setattr(SearchService, "search", search)
    monkeypatch.setattr(SearchService, "is_indexing", property(lambda self: reads_on))
    code, _, err = run("search", "done", "--root", str(root))
    assert code == 0 and err.startswith(searched) and bool(err) == bool(searched)


def test_search_takes_a_query_and_a_limit(run: Run, root: Path) -> None:
    page: dict[str, Any] = json.loads(
        run("search", "done", "--query", "status:completed", "--limit", "1", "--root", str(root), "--json")[1]
    )
    assert (len(page["hits"]), page["indexed"], page["total"]) == (1, 9, 9)
    assert run("search", "done", "--query", "cost>99", "--root", str(root))[1].count("\n") == 1


def test_a_search_for_nothing_is_wrong_use(run: Run, root: Path) -> None:
    code, out, err = run("search", "...", "--root", str(root))
    assert (code, out) == (2, "") and "no word" in err


def test_search_that_is_turned_off_says_so(run: Run, root: Path, tmp_path: Path) -> None:
    (tmp_path / "off.toml").write_text("[history]\nsearch = false\n")
    code, _, err = run("search", "done", "--root", str(root), "--config", str(tmp_path / "off.toml"))
    assert code == 2 and "history.search" in err


def test_on_a_terminal_the_words_are_shown_with_their_task(cli: Cli, root: Path) -> None:
    shown = cli.on_terminal("search", "done", "--root", str(root), "--limit", "1", NO_COLOR="1")
    assert "Done" in shown and "\x02" not in shown and "\x1b" not in shown


def test_stats_totals_all_and_each_group(run: Run, root: Path) -> None:
    listed = json.loads(run("list", "--root", str(root), "--json")[1])["items"]
    code, out, _ = run("stats", "--root", str(root))
    rows = cells(out)
    assert code == 0 and rows[0]["BY"] == "all" and rows[0]["TASKS"] == "9"
    tokens = sum(task["tokenUsage"]["total"] for task in listed if "tokenUsage" in task)
    assert rows[0]["TOKENS"] == f"{tokens:,}"
    for by in ("workspace", "mode", "product", "day"):
        assert sum(int(row["TASKS"]) for row in rows if row["BY"] == by) == 9


def test_stats_takes_groups_and_a_query(run: Run, root: Path) -> None:
    out = run("stats", "--root", str(root), "--by", "status", "--query", "status:completed")[1]
    assert {(row["BY"], row["KEY"]) for row in cells(out)} == {("all", ""), ("status", "completed")}
    result = json.loads(run("stats", "--root", str(root), "--by", "model", "--json")[1])
    assert list(result["groups"]) == ["model"] and result["matched"] == 9


def test_stats_give_a_parent_with_and_without_its_tree(run: Run, tmp_path: Path) -> None:
    for number, entry in enumerate([{"childIds": ["00000000-0000-4000-8000-000000000001"]}, {}]):
        folder = tmp_path / "tree" / "tasks" / f"00000000-0000-4000-8000-00000000000{number}"
        folder.mkdir(parents=True)
        used = json.dumps({"tokensIn": 10, "tokensOut": 5, "cost": 0.25})
        ui = [{"ts": 1, "type": "say", "say": "text", "text": "x"}]
        ui += [{"ts": 2, "type": "say", "say": "api_req_started", "text": used}]
        (folder / "ui_messages.json").write_text(json.dumps(ui))
        (folder / "history_item.json").write_text(json.dumps({"id": folder.name, **entry}))
    rows = cells(run("stats", "--root", str(tmp_path / "tree"))[1])
    (parent,) = (row for row in rows if row["BY"] == "parent")
    (tree,) = (row for row in rows if row["BY"] == "tree")
    assert (parent["COST"], tree["COST"], tree["TASKS"]) == ("$0.25", "$0.50", "2")
