from pathlib import Path

from sidecar.history.stores.claude.rows import SessionRows

SESSION = "00abcdef-0000-4000-8000-000000000001"


def test_a_session_that_can_neither_be_read_nor_examined_is_listed(tmp_path: Path) -> None:
    # As a folder without permission to enter it does, a link to itself fails both.
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    path = str(loop / f"{SESSION}.jsonl")
    rows = SessionRows(str(tmp_path), lambda _: [path], lambda _: None, lambda: ())
    row = rows.rows([SESSION], 0)[SESSION]
    assert row is not None
    assert b'"unreadable"' in row.common


def test_a_session_that_is_gone_has_no_row(tmp_path: Path) -> None:
    path = str(tmp_path / f"{SESSION}.jsonl")
    rows = SessionRows(str(tmp_path), lambda _: [path], lambda _: None, lambda: ())
    assert rows.rows([SESSION], 0) == {SESSION: None}
