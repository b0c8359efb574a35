"""The journal on a node serves every line under its number, even after its writer was killed."""

import resource
import signal
import tempfile
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from sidecar.fleet.node_journal import NodeJournal

LINES = st.lists(st.binary(max_size=40).map(lambda data: data.replace(b"\n", b" ")), max_size=40)


@given(lines=LINES, after=st.integers(0, 45), limit=st.integers(1, 50), size=st.integers(1, 400))
def test_any_part_can_be_read(lines: list[bytes], after: int, limit: int, size: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        journal = NodeJournal(Path(folder) / "journal")
        numbers = [journal.append(line) for line in lines]
        read = journal.read(after, limit, size)
        journal.close()
    assert numbers == list(range(1, len(lines) + 1))
    assert read == lines[after : after + len(read)]
    assert bool(read) == (after < len(lines))
    assert len(read) <= limit
    assert len(read) <= 1 or sum(len(line) + 1 for line in read) <= size


@given(lines=LINES, cut=st.integers(0, 20))
def test_a_line_that_was_cut_off_does_not_exist(lines: list[bytes], cut: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "journal"
        whole = b"".join(line + b"\n" for line in lines)
        path.write_bytes(whole[: max(0, len(whole) - cut)])
        journal = NodeJournal(path)
        kept = journal.last
        assert journal.read(0, 100, 10_000) == lines[:kept]
        journal.append(b"next")
        assert journal.read(kept, 1, 10_000) == [b"next"]
        journal.close()


def test_a_disk_that_is_full_loses_no_line(tmp_path: Path) -> None:
    journal = NodeJournal(tmp_path / "journal")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (10, limits[1]))
        assert [journal.append(b"first"), journal.append(b"second"), journal.append(b"3")] == [1, 2, 3]
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, handler)
    assert journal.is_full and journal.last == 3
    assert journal.read(0, 10, 1000) == [b"first"]
    assert journal.read(1, 10, 1000) == [b"second", b"3"] and journal.read(2, 10, 1000) == [b"3"]
    assert journal.read(3, 10, 1000) == [] and journal.read(1, 1, 1000) == [b"second"]
    journal.close()
    assert (tmp_path / "journal").read_bytes() == b"first\n"
