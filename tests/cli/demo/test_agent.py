import io
import json
import os
from pathlib import Path
from typing import Any

import pytest

from sidecar.cli.demo import agent as demo_agent


@pytest.fixture
def run_tour(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Any:
    """Run the job `tour` in a folder, without its pauses; returns its events."""
    monkeypatch.setattr(demo_agent, "PACE_SECONDS", 0)
    monkeypatch.setattr("sys.stdin", io.StringIO("Look around."))

    def run(folder: Path) -> list[dict[str, Any]]:
        assert demo_agent.main(["tour", str(folder)]) == 0
        return [json.loads(line) for line in capsys.readouterr().out.splitlines()]

    return run


def test_a_tour_reports_what_it_read_and_changes_nothing(tmp_path: Path, run_tour: Any) -> None:
    (tmp_path / "notes.txt").write_text("one\ntwo\n")
    (tmp_path / "picture.bin").write_bytes(b"\0\1\2")
    before = sorted(os.listdir(tmp_path))
    events = run_tour(tmp_path)
    assert events[-1] == {"type": "result", "text": "I read 2 lines: 2 of .txt."}
    assert sorted(os.listdir(tmp_path)) == before


def test_a_tour_of_a_large_folder_is_bounded(tmp_path: Path, run_tour: Any) -> None:
    for number in range(demo_agent.TOUR_FILES + 5):
        (tmp_path / f"{number}.md").write_text("line\n")
    events = run_tour(tmp_path)
    started = [event for event in events if event.get("status") == "started"]
    assert len(started) == demo_agent.TOUR_FILES


def test_a_tour_of_an_empty_folder_says_so(tmp_path: Path, run_tour: Any) -> None:
    assert run_tour(tmp_path)[-1]["text"] == "There is no text file here."
