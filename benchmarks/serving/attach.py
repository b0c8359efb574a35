"""Time `serve` from its spawn to the first answer of a running Host, against a bare start of Python."""

import sys
from functools import partial

import orjson

from benchmarks.measure import Comparison, interleave
from benchmarks.processes import running, time_command, time_first_answer
from benchmarks.promises import ATTACH
from benchmarks.serving.shared_host import shared_host
from sidecar.rpc.transport.framing import encode_frame

_BARE = (sys.executable, "-c", "pass")
_ROUNDS = 5
"""How many starts each side has for each of the runs: one is so short that it varies much."""


def measure(runs: int) -> list[Comparison]:
    """Compare an attach to the first answer with a Python that does nothing; a client stays attached."""
    with shared_host("") as host:
        request = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": host.opening}
        frame = encode_frame(orjson.dumps(request))
        attach = partial(time_first_answer, host.serve, frame, b"}}", host.variables)
        attach()
        with running(host.serve, host.variables):
            ours, peer = interleave([attach, partial(time_command, _BARE)], runs * _ROUNDS)
    return [Comparison("attach to first answer", "bare start of Python", ours, peer, promise=ATTACH)]
