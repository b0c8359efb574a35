"""Where the stores of opencode and Kilo are found, by their content."""

from pathlib import Path

import pytest

from sidecar.corpus.sessions.opencode import write_opencode
from sidecar.history.discovery import discover_roots
from sidecar.history.stores.editors import Machine
from sidecar.history.stores.opencode.family import OPENCODE


@pytest.mark.parametrize("platform", ["linux", "darwin", "win32"])
@pytest.mark.parametrize("product", ["opencode", "kilo"])
def test_the_data_directory_is_the_same_everywhere(tmp_path: Path, platform: str, product: str) -> None:
    root = tmp_path / ".local" / "share" / product
    write_opencode(root, 1, 1, product).close()
    assert discover_roots(Machine(tmp_path, {}, platform)).roots == [root]


def test_variables_move_the_data(tmp_path: Path) -> None:
    write_opencode(tmp_path / "data" / "opencode", 1, 1).close()
    write_opencode(tmp_path / "named", 1, 1, "kilo").close()
    environment = {"XDG_DATA_HOME": str(tmp_path / "data"), "KILO_DB": str(tmp_path / "named" / "kilo.db")}
    found = discover_roots(Machine(tmp_path / "home", environment, "linux")).roots
    assert found == [tmp_path / "data" / "opencode", tmp_path / "named"]


def test_a_root_is_recognized_by_its_content(tmp_path: Path) -> None:
    (tmp_path / "opencode").mkdir()
    assert not OPENCODE.recognizes(str(tmp_path / "opencode"))
    assert not OPENCODE.recognizes(str(tmp_path / "none"))
    first = tmp_path / "first" / "project" / "global" / "storage" / "session" / "info"
    first.mkdir(parents=True)
    assert OPENCODE.recognizes(str(tmp_path / "first"))
    for name in ("session", "message"):
        (tmp_path / "second" / "storage" / name).mkdir(parents=True)
    assert OPENCODE.recognizes(str(tmp_path / "second"))
