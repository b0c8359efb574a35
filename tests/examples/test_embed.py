import subprocess
import sys
from pathlib import Path

REPO = Path(__file__).parents[2]


def test_the_python_example_runs_a_subagent_and_lists_it(tmp_path: Path) -> None:
    ended = subprocess.run(
        [sys.executable, str(REPO / "examples" / "embed.py")],
        capture_output=True,
        text=True,
        timeout=50,
        env={"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "PYTHONPATH": str(REPO)},
    )

    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.startswith("completed - Hello,")
    assert "1 stored task" in ended.stdout
