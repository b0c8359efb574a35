"""The first prompt replaces names that opencode and Kilo make up."""

from pathlib import Path

import pytest

from sidecar.corpus.sessions.opencode import write_opencode
from sidecar.corpus.sessions.plot import NOW
from sidecar.history import TaskHistory

MADE_UP = "New session - 2026-04-01T01:21:55.945Z"


@pytest.mark.parametrize(
    ("name", "is_title"),
    [(MADE_UP, False), (f"{MADE_UP} (fork #1)", False), (f"{MADE_UP} again", True)],
)
def test_the_first_prompt_replaces_a_name_that_was_made_up(tmp_path: Path, name: str, is_title: bool) -> None:
    written = write_opencode(tmp_path, 3, product="kilo")
    database = written.open[0]
    key = str(database.execute("SELECT session_id FROM message LIMIT 1").fetchone()[0])
    database.execute(
        "UPDATE session SET title = ?, time_updated = time_updated + 1 WHERE id = ?", (name, key)
    )
    database.commit()
    rows = {row.id: row for row in TaskHistory([tmp_path], now=lambda: NOW).list(children=True)}
    written.close()
    assert (rows[key].title == name) is is_title
