"""Which sessions are kept, so that only what is appended to them is read."""

from pathlib import Path

from sidecar.history.stores.claude.reader import SessionReader

LINE = b'{"type":"user","uuid":"%d","message":{"content":"fix it"}}\n'


def test_a_session_is_kept_when_it_is_read_again(tmp_path: Path) -> None:
    reader = SessionReader()
    paths = [tmp_path / f"{number}.jsonl" for number in range(3)]
    for path in paths:
        path.write_bytes(LINE % 0)
        reader.read(path.name, [str(path)])
    first, other, _ = paths
    found = [reader.read(first.name, [str(first)])]
    for number in (1, 2):
        with first.open("ab") as file:
            file.write(LINE % number)
        reader.read(other.name, [str(other)])
        found.append(reader.read(first.name, [str(first)]))
    assert found[0] is found[1] is found[2]
    assert found[0].fold.main.facts.prompts == 3


def test_a_scan_of_many_sessions_keeps_none_of_them(tmp_path: Path) -> None:
    reader = SessionReader()
    path = tmp_path / "0.jsonl"
    path.write_bytes(LINE % 0)
    scanned = reader.read("0", [str(path)])
    assert reader.read("0", [str(path)]) is scanned
    once = reader.read("1", [str(path)])
    reader.read("2", [str(path)])
    assert reader.read("1", [str(path)]) is not once
    assert reader.read("0", [str(path)]) is scanned
