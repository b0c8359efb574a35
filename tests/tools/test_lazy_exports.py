"""The rooms' public names, and what importing them costs."""

import subprocess
import sys

import pytest

import sidecar.subagents
import sidecar.tools


@pytest.mark.parametrize("name", ["CheckAsyncTasksTool", "TaskTool", "ToolResult", "ToolError"])
def test_a_tool_is_found_by_its_name(name: str) -> None:
    assert getattr(sidecar.tools, name).__name__ == name


def test_an_unknown_name_is_an_attribute_error() -> None:
    for room in (sidecar.tools, sidecar.subagents):
        with pytest.raises(AttributeError, match="Nothing"):
            _ = room.Nothing


def test_one_tool_does_not_load_the_others() -> None:
    script = (
        "import sys; from sidecar.tools import CheckAsyncTasksTool; "
        "sys.exit('sidecar.tools.task' in sys.modules or 'asyncio' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", script], timeout=30, check=False).returncode == 0
