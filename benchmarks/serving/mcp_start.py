"""Time `mcp` from its spawn to its first answer, with a running Host, against a bare start of Python."""

import sys
import tempfile
from functools import partial

import orjson

from benchmarks.measure import Comparison, interleave
from benchmarks.processes import SIDECAR, running, time_command, time_first_answer
from benchmarks.promises import MCP_START

_PARAMS = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}
_INITIALIZE = orjson.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": _PARAMS}) + b"\n"
_BARE = (sys.executable, "-c", "pass")


def measure(runs: int) -> list[Comparison]:
    """Compare start to first answer; another client keeps the Host running."""
    with tempfile.TemporaryDirectory() as root:
        mcp = (*SIDECAR, "mcp", "--storage-root", root)
        with running(mcp) as first:
            assert first.stdin and first.stdout
            first.stdin.write(_INITIALIZE)
            first.stdin.flush()
            first.stdout.readline()
            sides = [partial(time_first_answer, mcp, _INITIALIZE, b"}}\n"), partial(time_command, _BARE)]
            ours, peer = interleave(sides, runs)
    return [Comparison("mcp: start to first answer", "a bare start of Python", ours, peer, promise=MCP_START)]
