"""`list` and `show`: stored tasks from a terminal."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.cli.program import Cli
from tests.generator import ERAS, generate

Launched = Callable[..., str]


def test_an_empty_root_lists_nothing_and_is_not_made(cli: Cli) -> None:
    assert cli.json("list") == {"items": [], "total": 0, "matched": 0, "counts": {}, "revision": 0}
    assert cli.run("list", "--text").stdout == "No tasks found in storage"
    assert not cli.root.exists()


def test_a_root_without_tasks_is_empty_and_stays_untouched(cli: Cli, tmp_path: Path) -> None:
    foreign = tmp_path / "foreign"
    foreign.mkdir()
    done = cli.run("list", "--root", str(foreign))
    assert done.returncode == 0
    assert len(done.stdout.splitlines()) == 1
    assert list(foreign.iterdir()) == []


def test_runs_are_listed_filtered_sorted_and_limited(cli: Cli, launched: Launched) -> None:
    first, second = launched("cat", "write the report"), launched("fail", "read the mail")
    assert [task["id"] for task in cli.json("list")["items"]] == [second, first]
    found = cli.json("list", "--filter", "REPORT")
    assert ([task["id"] for task in found["items"]], found["total"]) == ([first], 2)
    by_title = cli.json("list", "--sort", "title", "--limit", "1")
    assert ([task["id"] for task in by_title["items"]], "nextCursor" in by_title) == ([second], True)
    assert cli.json("list", "--root", str(cli.root))["total"] == 2


def test_off_a_terminal_the_table_is_tab_separated(cli: Cli, launched: Launched) -> None:
    task_id = launched("cat", "a\ttitle")
    head, row = cli.run("list").stdout.splitlines()
    columns = dict(zip(head.split("\t"), row.split("\t"), strict=True))
    assert (columns["STATUS"], columns["TITLE"], columns["ID"]) == ("completed", "a title", task_id)


def test_on_a_narrow_terminal_title_and_id_stay_readable(cli: Cli, launched: Launched) -> None:
    task_id = launched("cat", "write the report")
    shown = cli.on_terminal("list", NO_COLOR="1")
    assert "write the report" in shown
    assert task_id[:12] in shown


def test_the_fixed_clock_gives_the_ages(cli: Cli, launched: Launched) -> None:
    launched("cat")
    later = cli.json("list")["items"][0]["lastActivity"] + 3 * 3_600_000
    assert "\t3h ago\t" in cli.run("list", SIDECAR_NOW_MS=str(later)).stdout


def test_a_task_is_shown_by_a_prefix_with_its_transcript(cli: Cli, launched: Launched) -> None:
    task_id = launched("cat", "say this back")
    shown = cli.run("show", task_id[:8]).stdout
    assert f"Id             {task_id}" in shown
    assert shown.count("say this back") >= 3
    as_json = json.loads(cli.run("show", task_id, "--json", "--root", str(cli.root)).stdout)
    assert as_json["task"]["id"] == task_id
    assert as_json["provenance"]["title"]["source"] == "ui_messages.json"


def test_an_unknown_task_is_a_failure_that_names_it(cli: Cli) -> None:
    done = cli.run("show", "zzz")
    assert (done.returncode, done.stdout) == (1, "")
    assert "'zzz'" in done.stderr


def test_a_task_without_what_the_user_saw_is_shown_by_what_the_model_saw(run: Run, root: Path) -> None:
    folder = next((root / "tasks").iterdir())
    (folder / "ui_messages.json").unlink()
    shown = run("show", folder.name, "--root", str(root))[1]
    assert "! missing: ui_messages.json" in shown and "<user_message>" in shown


def test_show_says_each_thing_once_and_names_the_children(run: Run, root: Path) -> None:
    folder, child = sorted((root / "tasks").iterdir())[:2]
    item = json.loads((folder / "history_item.json").read_text())
    (folder / "history_item.json").write_text(json.dumps(item | {"childIds": [child.name]}))
    shown = run("show", folder.name, "--root", str(root))[1]
    rows = dict(line.split("  ", 1) for line in shown.split("\n\n")[0].splitlines())
    assert rows["Children"].split() == [child.name, "(history_item.json)"]
    status = rows["Status"].split("(")[0].strip()
    assert len(set(status.split(", "))) == len(status.split(", "))
    assert rows["Messages"].split()[0].isdigit() and rows["Size"].split()[1] == "KB"


def test_an_ambiguous_prefix_is_answered_with_the_tasks_it_may_mean(run: Run, root: Path) -> None:
    ids = sorted(path.name for path in (root / "tasks").iterdir())
    code, out, err = run("show", "0", "--root", str(root))
    assert (code, out) == (1, "") and all(task_id in err for task_id in ids)


def test_titles_are_sorted_from_a_to_z(run: Run, root: Path) -> None:
    listed = json.loads(run("list", "--root", str(root), "--sort", "title", "--json")[1])["items"]
    titles = [task["title"].casefold() for task in listed]
    assert titles == sorted(titles)


def test_of_several_roots_each_row_names_its_own(run: Run, root: Path, tmp_path: Path) -> None:
    generate(tmp_path / "other", ERAS[6], 3)
    out = run("list", "--root", str(root), "--root", str(tmp_path / "other"))[1]
    head, *rows = (line.split("\t") for line in out.splitlines())
    roots = [dict(zip(head, row, strict=True))["ROOT"] for row in rows]
    assert {each: roots.count(each) for each in roots} == {str(root): 9, str(tmp_path / "other"): 3}


@pytest.mark.parametrize("command", [["show"], ["show", "--json"], ["export"]])
def test_a_task_that_another_root_holds_too_is_reported_with_the_way_to_it(
    run: Run, root: Path, tmp_path: Path, command: list[str]
) -> None:
    other = tmp_path / "other"
    generate(other, ERAS[3], 9)
    task_id = min(path.name for path in (other / "tasks").iterdir())
    (other / "tasks" / task_id / "ui_messages.json").write_text(
        json.dumps([{"ts": 1, "type": "say", "say": "text", "text": "the other one"}])
    )
    both = ["--root", str(root), "--root", str(other)]
    code, out, err = run(*command, task_id, *both)
    assert code == 0 and "the other one" not in out
    reported = f"Showing the task in {root}. {other} has a task with this ID too: use --root {other}\n"
    assert err == reported
    code, out, err = run(*command, task_id, "--root", str(other))
    assert (code, err) == (0, "") and "the other one" in out


def test_on_a_terminal_an_empty_list_says_what_to_do(cli: Cli, tmp_path: Path) -> None:
    assert "doctor" in cli.on_terminal("list")
    (tmp_path / "nothing").mkdir()
    shown = cli.on_terminal("list", "--root", str(tmp_path / "nothing"), COLUMNS="200")
    assert f"{tmp_path / 'nothing'} does not contain tasks;" in shown


def test_on_a_terminal_the_text_ends_its_last_line(cli: Cli) -> None:
    assert cli.on_terminal("list", "--text").endswith("No tasks found in storage\r\n")


def test_nothing_a_task_holds_reaches_the_terminal_as_a_command(run: Run, cli: Cli, tmp_path: Path) -> None:
    folder = tmp_path / "odd" / "tasks" / "00000000-0000-4000-8000-000000000001"
    folder.mkdir(parents=True)
    tool = json.dumps({"tool": "a\x1b[2Jb\u202e"})
    ui = [{"ts": 1, "type": "say", "say": "text", "text": "title \x1b]0;x\x07 \x9b2J \u202e"}]
    ui.append({"ts": 2, "type": "ask", "ask": "tool\x1b[2J", "text": tool})
    (folder / "ui_messages.json").write_text(json.dumps(ui))
    item = {"workspace": "/w\x1b[2J\n! forged", "mode": "m\x1b[2J"}
    (folder / "history_item.json").write_text(json.dumps(item))
    code, shown, _ = run("show", folder.name, "--root", str(tmp_path / "odd"))
    assert code == 0 and not set(shown) & set("\x1b\x07\x9b\u202e") and "\n! forged" not in shown
    for command in ("show", "export"):
        seen = cli.on_terminal(command, folder.name, "--root", str(tmp_path / "odd"))
        assert not set(seen) & set("\x1b\x07\x9b\u202e")


def test_show_names_the_files_a_task_worked_with(run: Run, root: Path) -> None:
    folder = max((root / "tasks").iterdir(), key=lambda task: (task / "ui_messages.json").stat().st_size)
    assert "Files          src/a.py (read)\n" in run("show", folder.name, "--root", str(root))[1]


def test_show_tells_how_many_lines_of_each_file_a_run_changed(run: Run, root: Path) -> None:
    folder = min((root / "tasks").iterdir())
    changed = {"path": "src/b.py", "record_source": "roo_edited", "additions": 1_200, "deletions": 0}
    records = [changed, {"path": "logo.png", "record_source": "roo_edited"}]
    (folder / "task_metadata.json").write_text(json.dumps({"files_in_context": records}))
    shown = run("show", folder.name, "--root", str(root))[1]
    assert "logo.png, " in shown and "src/b.py +1,200 -0" in shown
