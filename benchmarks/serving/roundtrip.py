"""Time the round trip of a small request from a Node client, against a bare echo server."""

import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from functools import partial
from statistics import median

from benchmarks.measure import Comparison, interleave
from benchmarks.processes import REPOSITORY, SIDECAR, environment
from benchmarks.promises import ROUND_TRIP

METHOD = "reminders/status"
"""The smallest request that goes the whole way, from the reader to a handler that asks the Host."""
_WARM_UP, _REQUESTS = 500, 2_000
_CLIENT = REPOSITORY / "benchmarks" / "serving" / "roundtrip.mjs"
_ECHO = (sys.executable, "-m", "benchmarks.serving.echo_server")


def measure(runs: int) -> list[Comparison]:
    """Compare medians of sequential requests; each run is a process of its own on both sides."""
    with tempfile.TemporaryDirectory() as root:
        serve = (*SIDECAR, "serve", "--in-process", "--storage-root", root)
        ours, peer = interleave([partial(_median_request, server) for server in (serve, _ECHO)], runs)
    return [Comparison(f"round trip of {METHOD}, p50", "asyncio echo", ours, peer, promise=ROUND_TRIP)]


def _median_request(server: Sequence[str]) -> float:
    command = ["node", str(_CLIENT), METHOD, str(_WARM_UP), str(_REQUESTS), *server]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, env=environment(), timeout=60)
    seconds: list[float] = json.loads(done.stdout)
    return median(seconds)
