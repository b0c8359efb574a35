"""Start a sidecar, list stored tasks, run a subagent and print its output. Standard library only."""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
COMMAND = [sys.executable, "-m", "sidecar", "serve", "--in-process"]


def send(server, method, params, request_id=None):
    message = {"jsonrpc": "2.0", "method": method, "params": params}
    if request_id is not None:
        message["id"] = request_id
    body = json.dumps(message).encode()
    server.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
    server.stdin.flush()


def receive(server):
    length = 0
    while line := server.stdout.readline().strip():
        name, _, value = line.partition(b":")
        length = int(value) if name.lower() == b"content-length" else length
    return json.loads(server.stdout.read(length))


def request(server, method, **params):
    """Send a request and return its result; notifications that arrive before the answer are ignored."""
    send(server, method, params, request_id=method)
    while (answer := receive(server)).get("id") != method:
        pass
    if "error" in answer:
        raise SystemExit(answer["error"]["message"])
    return answer["result"]


def main():
    with tempfile.TemporaryDirectory() as root:
        server = subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        settings = {
            "runners": {"greet": {"type": "command", "command": ["echo", "Hello,", "{prompt}"]}},
            "agents": {"directories": [str(HERE / "agents")]},
        }
        request(
            server,
            "initialize",
            protocolVersion=1,
            storageRoot=root,
            workspaceFolders=[str(HERE)],
            workspaceTrusted=True,
            settings=settings,
        )
        launched = request(server, "asyncTasks/launch", subagentName="greeter", goalPrompt="world")
        ended = request(server, "asyncTasks/wait", taskIds=[launched["task"]["id"]])["tasks"][0]
        print(ended["status"], "-", ended["output"]["final_message"].strip())
        print(request(server, "tasks/list")["total"], "stored task")
        request(server, "shutdown")
        send(server, "exit", {})
        server.communicate()


if __name__ == "__main__":
    main()
