"""The rooms stay small enough to take in at a glance."""

import ast
from collections import Counter
from collections.abc import Set
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[1]
MOST_MODULES = 15


@pytest.mark.parametrize(
    ("folder", "suffix"),
    [
        ("sidecar", ".py"),
        ("benchmarks", ".py"),
        ("client-ts/src", ".ts"),
        ("client-ts/webview", ".ts"),
        ("tests/vscode", ".ts"),
    ],
)
def test_no_folder_has_more_than_15_modules(folder: str, suffix: str) -> None:
    files = [path.relative_to(REPOSITORY) for path in (REPOSITORY / folder).rglob(f"*{suffix}")]
    own = [path for path in files if path.name != "__init__.py" and "node_modules" not in path.parts]
    modules = Counter(str(path.parent) for path in own)
    assert modules
    assert {name: count for name, count in modules.items() if count > MOST_MODULES} == {}


def test_no_module_imports_itself_through_others() -> None:
    """Imports inside functions and for type checkers are left out, because they run later or never."""
    modules = {_module(path): path for path in (REPOSITORY / "sidecar").rglob("*.py")}
    imports = {name: _imported(path, modules.keys()) - {name} for name, path in modules.items()}
    order = list(TopologicalSorter(imports).static_order())  # raises CycleError with the circle
    assert len(order) == len(modules)


def _module(path: Path) -> str:
    return ".".join(path.relative_to(REPOSITORY).with_suffix("").parts).removesuffix(".__init__")


def _imported(path: Path, modules: Set[str]) -> set[str]:
    found = set()
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ImportFrom):
            names = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= {name if name in modules else str(node.module) for name in names}
    return found & modules
