"""Tell a full disk from other failures."""

import pytest

from sidecar.subagents.runners.remote.full_disk import is_full, with_remedy


@pytest.mark.parametrize(
    "problem",
    [
        "git add: error: unable to write file a: No space left on device",
        "git add: error: write error: No space left on device\nfatal: adding files failed",
        "git init: fatal: cannot copy 'x' to 'y': Disk quota exceeded",
        "[Errno 28] No space left on device",
        "[Errno 28] No space left on device: '/tmp/a'",
        "OSError: [Errno 122] Disk quota exceeded: '/tmp/a'",
        "node 'A': git add: write error: No space left on device; the node tries again",
    ],
)
def test_a_full_disk_is_recognized(problem: str) -> None:
    assert is_full(problem) and "make room" in with_remedy(problem)


@pytest.mark.parametrize(
    "problem",
    [
        'git add: error: open("No space left on device"): Permission denied',
        'git add: error: open("a: No space left on device"): Permission denied',
        "git add: error: unable to index file 'No space left on device'\nfatal: adding files failed",
        "[Errno 13] Permission denied: 'No space left on device'",
    ],
)
def test_the_name_of_a_file_is_not_taken_for_a_full_disk(problem: str) -> None:
    assert not is_full(problem) and with_remedy(problem) == problem
