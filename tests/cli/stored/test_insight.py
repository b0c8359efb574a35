import json
from pathlib import Path
from typing import Any

import pytest

from tests.app.upkeep.test_keeping import Claude
from tests.cli.conftest import Run
from tests.generator import write_hostile


def test_list_takes_a_query(run: Run, root: Path) -> None:
    code, out, _ = run("list", "--root", str(root), "--query", "status:completed cost>=0", "--json")
    page = json.loads(out)
    assert code == 0 and {item["status"] for item in page["items"]} == {"completed"}
    assert 0 < page["matched"] < page["total"]


def test_a_bad_query_is_wrong_use_and_names_the_place(run: Run, root: Path) -> None:
    code, out, err = run("list", "--root", str(root), "--query", "cost>much")
    assert (code, out) == (2, "") and "position 5" in err


@pytest.mark.parametrize(("form", "start"), [("markdown", "# "), ("json", '{"version":1')])
def test_export_prints_a_document(run: Run, root: Path, form: str, start: str) -> None:
    task_id = next((root / "tasks").iterdir()).name
    code, out, err = run("export", task_id, "--root", str(root), "--format", form)
    assert code == 0 and out.startswith(start) and err == ""


def test_export_tells_what_was_redacted_on_stderr(run: Run, root: Path) -> None:
    task_id = next((root / "tasks").iterdir()).name
    _, out, err = run("export", task_id, "--root", str(root), "--redact")
    assert err.startswith("redacted: ") and "/home/dana" not in out


def test_an_unknown_task_is_a_failure(run: Run, root: Path) -> None:
    code, out, err = run("export", "zzz", "--root", str(root))
    assert (code, out) == (1, "") and "zzz" in err


def test_doctor_finds_nothing_wrong_with_sound_tasks(run: Run, root: Path) -> None:
    code, out, _ = run("doctor", "--root", str(root))
    assert code == 0 and "9 tasks" in out and "No problems found." in out


@pytest.mark.slow
def test_doctor_names_each_kind_of_damage_with_its_remedy(run: Run, tmp_path: Path) -> None:
    write_hostile(tmp_path / "root")
    code, out, _ = run("doctor", "--root", str(tmp_path / "root"))
    assert code == 0 and "\ncut (" in out and "close the array" in out and "\x1b" not in out


@pytest.mark.slow
def test_doctor_as_json_is_the_result_of_the_wire(run: Run, tmp_path: Path) -> None:
    write_hostile(tmp_path / "root")
    report: dict[str, Any] = json.loads(run("doctor", "--root", str(tmp_path / "root"), "--json")[1])
    assert sum(report["counts"].values()) == len(report["findings"])
    assert all(finding["remedy"] for finding in report["findings"])


def test_doctor_names_the_stores_that_are_not_listed(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "share"))
    monkeypatch.setenv("SIDECAR_STORAGE_ROOT", str(tmp_path / "own"))
    (tmp_path / "share" / "kilo").mkdir(parents=True)
    (tmp_path / "share" / "kilo" / "kilo.db").touch()
    (tmp_path / ".cline" / "data" / "tasks").mkdir(parents=True)
    code, out, _ = run("doctor")
    assert code == 0 and "Stores found: 2 (" in out
    assert f"{tmp_path / 'own'}: no tasks yet; the sidecar stores its own runs in this folder\n" in out
    assert f"{tmp_path / 'share' / 'kilo'}: sessions of Kilo" in out
    assert f"{tmp_path / '.cline' / 'data'}: data of Cline's command line" in out


def test_doctor_says_which_folder_to_name_instead_of_one_that_is_missing(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    settings = tmp_path / "settings.toml"
    settings.write_text(f"[history]\nforeignRoots = [{json.dumps(str(tmp_path / 'missing'))}]\n")
    _, out, _ = run("doctor", "--config", str(settings))
    assert "missing: no such folder; name one that contains tasks/ or sessions of a known agent\n" in out


def test_doctor_tells_a_folder_without_tasks_from_an_empty_store(run: Run, tmp_path: Path) -> None:
    (tmp_path / "above" / "tasks" / "x").mkdir(parents=True)
    assert "above: 0 tasks\n" in run("doctor", "--root", str(tmp_path / "above"))[1]
    _, out, _ = run("doctor", "--root", str(tmp_path / "above" / "tasks"))
    assert "above/tasks: does not contain tasks/ or sessions of a known agent\n" in out


def test_doctor_counts_the_kept_copies_of_a_store_without_sessions(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    claude = Claude(tmp_path)
    claude.keeping.keep()
    tasks = len(claude.rows())
    claude.delete_all()
    monkeypatch.setenv("SIDECAR_STORAGE_ROOT", str(claude.own.path))
    out = run("doctor", "--root", str(claude.root))[1]
    assert f"{claude.root}: {tasks} tasks, all from kept copies\n" in out


def test_of_several_roots_doctor_names_the_folder_of_each_finding(
    run: Run, root: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other" / "tasks" / "00000000-0000-4000-8000-000000000001"
    other.mkdir(parents=True)
    assert f"  {other.name}: " in run("doctor", "--root", str(tmp_path / "other"))[1]
    assert f"  {other}: " in run("doctor", "--root", str(root), "--root", str(tmp_path / "other"))[1]
