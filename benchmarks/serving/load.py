"""Many subagents that report at once: the cost, the effect on other requests, and that nothing is lost."""

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, Final

from benchmarks.measure import Comparison, within
from benchmarks.processes import REPOSITORY, SIDECAR, environment
from benchmarks.promises import LOAD_P99_SECONDS, LOAD_SHARE
from benchmarks.serving.roundtrip import METHOD

_RUNS: Final = 50
_EVENTS_PER_SECOND: Final = 40
"""Of each run: 2,000 a second in all."""
_SECONDS: Final = 8
_EVENTS: Final = _EVENTS_PER_SECOND * (_SECONDS + 2)
_CLIENT: Final = REPOSITORY / "benchmarks" / "serving" / "load.mjs"
_DEFINITION: Final = "---\nname: tick\ndescription: Reports at a steady pace.\nrunner: tick\n---\n"
_TICK: Final = """
import os, sys, time
def tick(line):
    go, count, pause = sys.argv[1], int(sys.argv[2]), 1 / int(sys.argv[3])
    while not os.path.exists(go):
        time.sleep(0.1)
    start = time.monotonic() + os.getpid() % 50 / 50 * pause
    for number in range(count):
        time.sleep(max(0, start + number * pause - time.monotonic()))
        os.write(1, line % number)
"""
_COMMAND: Final = """
tick(b'{"type":"message","text":"%d "}\\n')
"""
_AGENT: Final = """
import json
def receive():
    return json.loads(sys.stdin.readline())["id"]
def answer(call_id, result):
    os.write(1, json.dumps({"jsonrpc": "2.0", "id": call_id, "result": result}).encode() + b"\\n")
answer(receive(), {"protocolVersion": 1, "agentCapabilities": {}})
answer(receive(), {"sessionId": "1"})
prompt = receive()
tick(b'{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"1","update":'
     b'{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"%d "}}}}\\n')
answer(prompt, {"stopReason": "end_turn"})
sys.stdin.read()
"""


def measure(runs: int) -> list[Comparison]:
    """Follow 50 runs of 40 events a second each, and ask small requests meanwhile and of an idle server.

    Raises RuntimeError when an event is lost, doubled or out of order. One long run, whatever `runs` says.
    """
    return [*_measure("command", _COMMAND), *_measure("acp", _AGENT)]


def _measure(kind: str, program: str) -> list[Comparison]:
    with tempfile.TemporaryDirectory() as home:
        command = ["node", str(_CLIENT), json.dumps(_specification(Path(home), kind, program))]
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE, env=environment(), timeout=120)
    result = json.loads(done.stdout)
    _check_whole(result)
    busy, idle = ([_p99(result[side])] for side in ("meanwhile", "atRest"))
    what = f"{_RUNS} {kind} runs, 2,000 events a second"
    return [
        within(f"{what}: share of a core", [result["share"]], LOAD_SHARE, ""),
        within(f"{what}: round trip, p99", busy, LOAD_P99_SECONDS),
        Comparison(f"{what}: round trip, p99", "idle server next to it", busy, idle),
    ]


def _specification(home: Path, kind: str, program: str) -> dict[str, Any]:
    workspace = home / "workspace"
    agents = workspace / ".sidecar" / "agents"
    agents.mkdir(parents=True)
    (agents / "tick.md").write_text(_DEFINITION)
    script, go = home / "tick.py", home / "go"
    script.write_text(_TICK + program)
    tick = [sys.executable, "-SIE", str(script), str(go), str(_EVENTS), str(_EVENTS_PER_SECOND)]
    runner = {"type": kind, "command": tick} | ({"format": "events"} if kind == "command" else {})
    settings = {"asyncTasks": {"max": _RUNS}, "runners": {"tick": runner}}
    return {
        "busy": [*SIDECAR, "serve", "--in-process", "--storage-root", str(home / "busy")],
        "idle": [*SIDECAR, "serve", "--in-process", "--storage-root", str(home / "idle")],
        "opening": {
            "protocolVersion": 1,
            "workspaceFolders": [str(workspace)],
            "workspaceTrusted": True,
            "settings": settings,
        },
        "runs": _RUNS,
        "go": str(go),
        "seconds": _SECONDS,
        "method": METHOD,
    }


def _check_whole(result: dict[str, Any]) -> None:
    if set(result["statuses"]) != {"completed"} or len(result["events"]) != _RUNS:
        raise RuntimeError(f"not every run completed: {result['statuses']}")
    expected = "".join(f"{number} " for number in range(_EVENTS))
    for events in result["events"]:
        if [seq for seq, *_ in events] != list(range(1, len(events) + 1)):
            raise RuntimeError("events were lost, doubled or out of order")
        texts = [text for _, kind, text, _ in events if kind == "message"]
        if "".join(texts) != expected:
            raise RuntimeError("the text of a run is not what its program printed")


def _p99(seconds: list[float]) -> float:
    return sorted(seconds)[int(len(seconds) * 0.99)]
