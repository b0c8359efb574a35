import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecar.changes.file_change import FileChange, merged, relative


@pytest.mark.parametrize(
    ("path", "workspace", "expected"),
    [
        ("/ws/src/a.py", "/ws", "src/a.py"),
        ("/ws/src/a.py", "/ws/", "src/a.py"),
        ("src/./a.py", "/ws", "src/a.py"),
        ("./a.py", "/ws", "a.py"),
        ("../other/a.py", "/ws", "/other/a.py"),
        ("/ws/../x", "/ws", "/x"),
        ("/wsx/a.py", "/ws", "/wsx/a.py"),
        ("c:\\Shop\\src\\a.py", "C:\\shop", "src/a.py"),
        ("D:\\a.py", "C:\\shop", "D:/a.py"),
        ("/etc/a", "/", "/etc/a"),
        ("/a", "", "/a"),
        ("a/../b", "", "b"),
        ("  ", "/ws", ""),
    ],
)
def test_a_path_is_relative_to_its_workspace(path: str, workspace: str, expected: str) -> None:
    assert relative(path, workspace) == expected


@given(st.text(), st.text())
def test_any_two_texts_give_a_path(path: str, workspace: str) -> None:
    assert "\\" not in relative(path, workspace)


COUNT = st.none() | st.integers(0, 9)
CHANGE = st.builds(
    FileChange, st.just("a"), st.frozensets(st.sampled_from(["edited", "created"])), COUNT, COUNT, COUNT
)


@given(CHANGE, CHANGE, CHANGE)
def test_merging_does_not_depend_on_the_order(one: FileChange, other: FileChange, third: FileChange) -> None:
    assert merged(one, other)[1:4] == merged(other, one)[1:4]
    assert merged(merged(one, other), third)[:4] == merged(one, merged(other, third))[:4]
