"""The scripts that developers use say what they need."""

import subprocess
from pathlib import Path

REPOSITORY = Path(__file__).parents[1]


def test_a_check_of_an_unknown_language_names_those_there_are() -> None:
    checked = subprocess.run(
        [REPOSITORY / "scripts/check", "pyhton"], capture_output=True, text=True, check=False
    )
    assert checked.returncode == 2
    assert checked.stderr == '"pyhton" is not a language. Use python or typescript, or nothing for both.\n'
