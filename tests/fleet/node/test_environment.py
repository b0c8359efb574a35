"""Agents on a node do not inherit what Ray sets for its workers."""

import os
import sys
from pathlib import Path

from sidecar.fleet.environment import _names_at_start, agent_environment


def test_variables_that_hold_the_token_are_left_out() -> None:
    assert agent_environment({"RAY_AUTH_TOKEN": "x", "PATH": "/bin"}) == {"PATH": "/bin"}


def test_without_a_raylet_nothing_else_is_left_out() -> None:
    assert agent_environment({"OMP_NUM_THREADS": "1"}) == {"OMP_NUM_THREADS": "1"}
    assert _names_at_start(os.getpid()) is None and _names_at_start(0) is None


def test_the_variables_of_a_raylet_are_read(tmp_path: Path) -> None:
    raylet = tmp_path / "raylet"
    raylet.symlink_to(sys.executable)
    read, write = os.pipe()
    os.set_inheritable(read, True)
    child = os.posix_spawn(raylet, ["raylet", "-c", f"import os; os.read({read}, 1)"], {"KEPT": "1"})
    try:
        names: set[str] = set()
        while not names:  # there are none while the program is being started
            names = (_names_at_start(child) or set()) - {""}
        assert names == {"KEPT"}
    finally:
        os.close(write)
        os.close(read)
        os.waitpid(child, 0)
