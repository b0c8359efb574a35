import json
import os
import subprocess
import sys
from pathlib import Path

REPO = Path(__file__).parents[2]


def test_half_a_character_that_the_guide_leaves_is_an_escape_in_the_json(tmp_path: Path) -> None:
    folder = tmp_path / "tasks" / "11111111-1111-4111-8111-111111111111"
    folder.mkdir(parents=True)
    prompt = "x" * 96 + "\U0001f600" * 3
    (folder / "ui_messages.json").write_text("[{}]")
    (folder / "api_conversation_history.json").write_text(json.dumps([{"role": "user", "content": prompt}]))
    command = [sys.executable, "-m", "sidecar", "list", "--root", str(tmp_path), "--rules", "guide", "--json"]
    done = subprocess.run(
        command, cwd=REPO, capture_output=True, check=True, env={**os.environ, "HOME": str(tmp_path)}
    )
    (task,) = json.loads(done.stdout)["items"]
    assert task["title"] == "x" * 96 + "\ud83d..."
    assert b"\\ud83d..." in done.stdout
    # No message has a time, so the guide's default is the time of asking: never left out here.
    assert isinstance(task["createdAt"], int)
