"""Every process below this one is killed, whatever a single scan of them misses."""

import subprocess
from collections.abc import Collection, Iterator

import psutil
import pytest

from sidecar.subagents.runners.builtin.tools import process_tree


def test_a_process_that_one_pass_misses_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    others = process_tree.descendants()
    real, passes = process_tree._living, 0

    def living(but: Collection[int]) -> Iterator[psutil.Process]:
        nonlocal passes
        passes += 1
        return iter([]) if passes == 1 else real(but)

    monkeypatch.setattr(process_tree, "_living", living)
    with subprocess.Popen(["sleep", "300"]) as missed:
        process_tree.kill_descendants(but=others)
        assert missed.wait(5) == -9
