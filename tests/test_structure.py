"""The rooms stay small enough to take in at a glance."""

from collections import Counter
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[1]
MOST_MODULES = 15


@pytest.mark.parametrize(
    ("folder", "suffix"), [("sidecar", ".py"), ("client-ts/src", ".ts"), ("client-ts/webview", ".ts")]
)
def test_no_folder_has_more_than_15_modules(folder: str, suffix: str) -> None:
    files = [path for path in (REPOSITORY / folder).rglob(f"*{suffix}") if path.name != "__init__.py"]
    modules = Counter(str(path.parent.relative_to(REPOSITORY)) for path in files)
    assert modules
    assert {name: count for name, count in modules.items() if count > MOST_MODULES} == {}
