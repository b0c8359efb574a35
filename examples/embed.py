"""Start a sidecar, list stored tasks, run a subagent and print its output. Standard library only."""

import json
import sys
import tempfile
from pathlib import Path
from subprocess import PIPE, Popen

HERE = str(Path(__file__).resolve().parent)
COMMAND = [sys.executable, "-m", "sidecar", "serve", "--in-process"]
RUNNERS = {"greet": {"type": "command", "command": ["echo", "Hello,", "{prompt}"]}}
SETTINGS = {"runners": RUNNERS, "agents": {"directories": [f"{HERE}/agents"]}}


def send(server, method, params, **request_id):
    body = json.dumps({"jsonrpc": "2.0", "method": method, "params": params, **request_id}).encode()
    server.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
    server.stdin.flush()


def request(server, method, **params):
    """Send a request and return its result; notifications that arrive before the answer are ignored."""
    send(server, method, params, id=method)
    answer = {}
    while answer.get("id") != method:
        headers = dict(line.lower().split(b":") for line in iter(server.stdout.readline, b"\r\n"))
        answer = json.loads(server.stdout.read(int(headers[b"content-length"])))
    if "error" in answer:
        raise SystemExit(answer["error"]["message"])
    return answer["result"]


with tempfile.TemporaryDirectory() as root, Popen(COMMAND, stdin=PIPE, stdout=PIPE) as server:
    client = {"protocolVersion": 1, "workspaceFolders": [HERE], "workspaceTrusted": True}
    request(server, "initialize", storageRoot=root, settings=SETTINGS, **client)
    launched = request(server, "asyncTasks/launch", subagentName="greeter", goalPrompt="world")
    ended = request(server, "asyncTasks/wait", taskIds=[launched["task"]["id"]])["tasks"][0]
    print(ended["status"], "-", ended["output"]["final_message"].strip())
    print(request(server, "tasks/list")["total"], "stored task")
    request(server, "shutdown")
    send(server, "exit", {})
