"""Time `serve` from its spawn to its first answer, against the import of pygls alone."""

import sys
import tempfile
from functools import partial

import orjson

from benchmarks.measure import Comparison, interleave
from benchmarks.processes import SIDECAR, time_command, time_first_answer
from benchmarks.promises import FIRST_ANSWER
from sidecar.rpc.transport.framing import encode_frame

_INITIALIZE = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": 1}}
_IMPORT = (sys.executable, "-c", "import pygls.server")


def measure(runs: int) -> list[Comparison]:
    """Compare start to first answer, on a storage root that exists, with the import of pygls."""
    with tempfile.TemporaryDirectory() as root:
        serve = (*SIDECAR, "serve", "--in-process", "--storage-root", root)
        frame = encode_frame(orjson.dumps(_INITIALIZE))
        sides = [partial(time_first_answer, serve, frame, b"}}"), partial(time_command, _IMPORT)]
        ours, peer = interleave(sides, runs)
    return [Comparison("start to first answer", "import pygls.server", ours, peer, promise=FIRST_ANSWER)]
