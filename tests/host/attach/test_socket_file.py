"""Real sockets and processes: one process occupies a path where files cannot be locked."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from sidecar.host.attach import address, socket_file
from sidecar.host.attach.socket_file import is_listening, occupy

OCCUPY = """
import sys
from sidecar.host.attach.socket_file import occupy
sys.stdin.readline()
print(occupy(sys.argv[1]), flush=True)
sys.stdin.readline()
"""
Process = subprocess.Popen[str]


@pytest.fixture
def path(root: Path) -> Path:
    return Path(address.claim_path(str(root)))


@contextmanager
def starting(path: Path) -> Iterator[Process]:
    """A process that occupies the path on request, and is killed at the end."""
    command = [sys.executable, "-c", OCCUPY, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        yield process
        process.kill()


def tell(process: Process) -> None:
    assert process.stdin is not None
    process.stdin.write("go\n")
    process.stdin.flush()


def succeeded(process: Process) -> bool:
    assert process.stdout is not None
    return process.stdout.readline() == "True\n"


def started(path: Path, number: int) -> int:
    """Return how many of simultaneous processes occupy the path."""
    with ExitStack() as running:
        processes = [running.enter_context(starting(path)) for _ in range(number)]
        for process in processes:
            tell(process)
        return sum([succeeded(process) for process in processes])


def test_one_of_many_simultaneous_processes_occupies_the_path(path: Path) -> None:
    assert started(path, 8) == 1


def test_a_path_is_free_again_after_its_process_was_killed(path: Path) -> None:
    with starting(path) as process:
        tell(process)
        assert succeeded(process)
        assert not occupy(str(path))
    assert path.is_socket() and not is_listening(str(path))
    assert started(path, 8) == 1


def test_nothing_but_the_occupied_path_is_left_in_the_folder(path: Path) -> None:
    for _ in range(2):
        assert started(path, 3) == 1
    assert [each.name for each in path.parent.iterdir()] == [path.name]


def test_a_socket_that_listens_since_it_was_examined_gets_its_name_back(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with starting(path) as process:
        tell(process)
        assert succeeded(process)
        answers = iter([False])  # as if it had begun to listen right after the first check
        monkeypatch.setattr(socket_file, "is_listening", lambda each: next(answers, is_listening(each)))
        assert not occupy(str(path))
        assert is_listening(str(path))


def test_the_path_is_as_short_as_that_of_the_socket(root: Path) -> None:
    assert len(address.claim_path(str(root))) == len(address.socket_path(str(root)))
