from pathlib import Path

from sidecar.history.problems import PROBLEM_CODES

DOCS = Path(__file__).parents[1] / "docs"


def test_the_page_on_storage_explains_every_problem_code() -> None:
    text = (DOCS / "storage.md").read_text()
    for code, meaning in PROBLEM_CODES.items():
        assert f"| `{code}` | {meaning} |" in text
