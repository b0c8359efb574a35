"""`fleet` says what is missing in its own words."""

from pathlib import Path

from tests.cli.conftest import Run


def test_gc_outside_of_a_repository_says_so(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "plain"
    folder.mkdir()
    _, _, err = run("fleet", "gc", "--workspace", str(folder))
    assert f"{folder}: not in a git repository, so no refs were removed; to remove refs, run this in a" in err
    assert "fatal" not in err and "rev-parse" not in err
