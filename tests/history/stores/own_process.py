"""Run code in a process of its own, which may become another user."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

_REPOSITORY = Path(__file__).parents[3]
_SECONDS = 120


def printed_by(code: str) -> dict[str, Any]:
    """Return the JSON that the code prints."""
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd="/",
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(_REPOSITORY), "TMPDIR": "/tmp"},
        capture_output=True,
        text=True,
        timeout=_SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found
