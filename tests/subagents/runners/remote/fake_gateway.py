"""A gateway without a cluster: it answers as the real one does, and dies when it is asked to."""

import json
import os
import sys
from pathlib import Path
from typing import Any

from sidecar import __version__

NODE = {"nodeId": "a", "name": "A", "address": "127.0.0.1", "labels": {}, "slots": 2, "free": 1}
PROBE = {"version": __version__, "agents": [], "token": True, "has_git": True, "problem": None}
CLUSTER = {"version": __version__, "python": "3", "ray": "2", "token": True, "address": "127.0.0.1:1"}


def answer(message: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


for line in sys.stdin:
    request = json.loads(line)
    match request["op"]:
        case "ack":
            continue
        case "version":
            if pipe := os.environ.get("READY"):
                Path(pipe).read_text()  # until the test writes
            answer({"id": request["id"], "ok": {"version": os.environ.get("VERSION", __version__)}})
        case "connect":
            answer({"id": request["id"], "ok": {"version": __version__, "address": request["address"]}})
        case "status":
            nodes = [{**NODE, "probe": PROBE}]
            answer({"id": request["id"], "ok": {**CLUSTER, "nodes": nodes, "runs": []}})
        case "echo":
            answer({"id": request["id"], "ok": request["text"]})
        case "follow":
            answer({"id": request["id"], "ok": None})
            for number in range(request["count"]):
                answer({"stream": request["stream"], "after": number, "lines": [{"event": number}]})
        case "refuse":
            answer({"id": request["id"], "error": {"kind": "gone", "reason": "there is nothing"}})
        case "die":
            sys.stderr.write("no power\n")
            sys.exit(3)
