"""An agent on the bare wire that understands the prompts of `agents check`: `conforming.py [FLAW...]`.

Flaws: `silent` asks for nothing and acts, `idle` does nothing, `signed-out` opens no session, `uncounted`
reports no tokens, `deaf` ends no turn on request, `hasty` ends each at once, `leaving` leaves a process,
`trailing` one that exits by itself soon after, and `elsewhere` writes another file without asking.
"""

import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from tests.agents.raw import answer, end, receive, say, send, update

FLAWS = sys.argv[1:]
OPTIONS = [
    {"optionId": "yes", "name": "Yes", "kind": "allow_once"},
    {"optionId": "no", "name": "No", "kind": "reject_once"},
]


def serve() -> None:
    while True:
        call: Any = receive()
        match call.get("method"):
            case "initialize":
                info = {"name": "conforming", "version": "1.2.3"}
                ways = [{"id": "l", "name": "L", "type": "terminal", "args": ["login"]}] if FLAWS else []
                hello = {"protocolVersion": 1, "agentCapabilities": {}, "agentInfo": info}
                answer(call, {**hello, "authMethods": ways})
            case "session/new" if "signed-out" in FLAWS:
                send({"id": call["id"], "error": {"code": -32000, "message": "Authentication required"}})
            case "session/new":
                offers = [{"id": "default", "name": "D"}, {"id": "auto", "name": "A"}]
                modes = {"currentModeId": "auto", "availableModes": offers}
                answer(call, {"sessionId": "session-1", "modes": modes})
            case "session/set_mode":
                answer(call, {})
            case "session/prompt":
                respond(call, call["params"]["prompt"][0]["text"])


def respond(call: Any, prompt: str) -> None:
    if "questions" in prompt and ("leaving" in FLAWS or "trailing" in FLAWS):
        seconds = "300" if "leaving" in FLAWS else "1.5"
        subprocess.Popen(["sleep", seconds], start_new_session=True, stdout=subprocess.DEVNULL)
    if "elsewhere" in FLAWS:
        Path("other.txt").write_text("x")
    if "questions" in prompt:
        inquire()
        say("done")
        end(call)
        return
    if "numbers" in prompt:
        say("one\n")
        if "hasty" in FLAWS:
            end(call)
            return
        if "deaf" in FLAWS:
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            while True:
                time.sleep(60)
        while receive().get("method") != "session/cancel":
            pass
        end(call, "cancelled")
        return
    if "idle" not in FLAWS and ("silent" in FLAWS or is_allowed()):
        Path("check.txt").write_text("checked" if "Create" in prompt else "")
    say("done")
    if "uncounted" in FLAWS:
        end(call)
        return
    update("usage_update", used=10, size=100)
    end(call, usage={"inputTokens": 8, "outputTokens": 2, "totalTokens": 10})


def inquire() -> None:
    if "idle" not in FLAWS:
        form = {"properties": {"color": {"type": "string", "enum": ["Red", "Blue"]}}}
        params = {"sessionId": "session-1", "message": "Which color?", "requestedSchema": form}
        send({"id": 2, "method": "elicitation/create", "params": params})
        receive()


def is_allowed() -> bool:
    call = {"toolCallId": "t1", "title": "Write check.txt", "kind": "edit"}
    params = {"sessionId": "session-1", "toolCall": call, "options": OPTIONS}
    send({"id": 1, "method": "session/request_permission", "params": params})
    reply: Any = receive()
    return bool(reply["result"]["outcome"].get("optionId") == "yes")


if __name__ == "__main__":
    serve()
