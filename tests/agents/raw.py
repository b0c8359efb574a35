"""An agent on the bare wire, for what no library would let it do: `raw.py SCENARIO [ARGUMENT]`.

It imports next to nothing, so that starting one costs milliseconds.
"""

import json
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

Json = dict[str, object]

SESSION = "session-1"


def send(message: Json, nested: int = 0) -> None:
    """Send a message, with lists in lists in place of the text `$nested`."""
    text = json.dumps({"jsonrpc": "2.0", **message})
    sys.stdout.write(text.replace('"$nested"', "[" * nested + "]" * nested) + "\n")
    sys.stdout.flush()


def update(update_kind: str, /, **members: object) -> None:
    params = {"sessionId": SESSION, "update": {"sessionUpdate": update_kind, **members}}
    send({"method": "session/update", "params": params})


def say(text: str, **members: object) -> None:
    update("agent_message_chunk", content={"type": "text", "text": text}, **members)


def receive() -> Json:
    line = sys.stdin.readline()
    if not line:
        sys.exit(0)
    message: Json = json.loads(line)
    return message


def answer(call: Json, result: Json) -> None:
    send({"id": call["id"], "result": result})


def until(method: str) -> Json:
    while (message := receive()).get("method") != method:
        pass
    return message


def open_session() -> Json:
    """Do the handshake and return the prompt's call."""
    answer(until("initialize"), {"protocolVersion": 1, "agentCapabilities": {}})
    answer(until("session/new"), {"sessionId": SESSION})
    return until("session/prompt")


def speak_early() -> None:
    """Send an update of another session between the opening of the run's own and its prompt."""
    answer(until("initialize"), {"protocolVersion": 1, "agentCapabilities": {}})
    call = until("session/new")
    answer(call, {"sessionId": SESSION})
    content = {"type": "text", "text": "of a child\n"}
    shown = {"sessionUpdate": "agent_message_chunk", "content": content}
    send({"method": "session/update", "params": {"sessionId": "child", "update": shown}})
    prompt = until("session/prompt")
    say("mine")
    end(prompt)
    silent()


def report() -> None:
    """Send what the protocol's library drops: a compaction, a notice, a name and a subagent in `_meta`."""
    prompt = open_session()
    update("compaction_update", compactionId="c", status="in_progress")
    for text in ("We compare ", "dates."):
        update("compaction_summary_chunk", compactionId="c", content={"type": "text", "text": text})
    update("compaction_update", compactionId="c", status="completed")
    update("notice", severity="warning", title="Old settings", description="Remove them")
    update("tool_call", toolCallId="t", title="Look around", kind="other", _meta={"toolName": "agent"})
    say("I found two", _meta={"parentToolCallId": "t", "subagentType": "explorer"})
    update("tool_call_update", toolCallId="t", status="completed")
    say("There are two.")
    end(prompt)
    silent()


def end(prompt: Json, reason: str = "end_turn", **members: object) -> None:
    answer(prompt, {"stopReason": reason, **members})


def silent() -> None:
    while True:
        receive()


def leave() -> None:
    sys.stderr.write("no license found\n")
    sys.exit(3)


def auth() -> None:
    methods = [{"id": "login", "name": "Sign in"}]
    answer(until("initialize"), {"protocolVersion": 1, "authMethods": methods})
    send({"id": until("session/new")["id"], "error": {"code": -32000, "message": "Authentication required"}})
    silent()


def version() -> None:
    answer(until("initialize"), {"protocolVersion": 7})
    silent()


def garbage() -> None:
    sys.stdout.write("Welcome to the agent!\n[1, 2]\n\xff\n")
    prompt = open_session()
    say("before ")
    sys.stdout.write("{broken\n")
    send({"id": 4711, "result": {}})
    send({"id": {}, "error": "odd"})
    send({"id": 99, "method": "terminal/create", "params": {}})
    refusal = receive()
    send({"method": "auth/status_update", "params": {}})
    say(f"after {refusal['error']['code']}")  # type: ignore[index]
    end(prompt)
    silent()


def die_once() -> None:
    started = Path("started")
    if not started.exists():
        started.touch()
        until("initialize")
        sys.exit(3)
    prompt = open_session()
    say("hello")
    end(prompt)
    silent()


def die_always() -> None:
    with Path("starts").open("a") as starts:
        starts.write("x")
    until("initialize")
    sys.exit(3)


def fail_to_open() -> None:
    with Path("starts").open("a") as starts:
        starts.write("x")
    answer(until("initialize"), {"protocolVersion": 1, "agentCapabilities": {}})
    call = until("session/new")
    send({"jsonrpc": "2.0", "id": call["id"], "error": {"code": int(sys.argv[2]), "message": "no luck"}})
    silent()


def deep() -> None:
    """Answer the opening of the session with lists in lists."""
    answer(until("initialize"), {"protocolVersion": 1, "agentCapabilities": {}})
    send({"id": until("session/new")["id"], "result": "$nested"}, int(sys.argv[2]))
    silent()


def crash() -> None:
    open_session()
    say("half a word")
    os.kill(os.getpid(), signal.SIGKILL)


def close_output() -> None:
    open_session()
    sys.stdout.flush()
    os.close(1)
    silent()


def big() -> None:
    prompt = open_session()
    say("x" * int(sys.argv[2]))
    end(prompt)
    silent()


def flood() -> None:
    prompt = open_session()
    for number in range(int(sys.argv[2])):
        say(f"{number}\n")
    end(prompt)
    silent()


def flood_tools() -> None:
    prompt = open_session()
    for number in range(int(sys.argv[2])):
        update("tool_call", toolCallId=f"call-{number}", title="look", kind="read", status="completed")
    end(prompt)
    silent()


def odd_updates() -> None:
    prompt = open_session()
    update("agent_message_chunk", content={"type": "text", "text": ""})
    update("notice", text="something stable and new")
    update("available_commands_update", availableCommands="many")
    send({"method": "session/update", "params": {"update": 5}})
    send({"method": "session/update"})
    update("tool_call_update", toolCallId="t1", status="completed", title="Write", rawOutput={"ok": True})
    update("tool_call", toolCallId=7)
    say("done")
    end(prompt, _meta={"quota": {"token_count": {"input_tokens": 12, "output_tokens": 3}}})
    silent()


def deaf() -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    subprocess.Popen(["setsid", "sleep", "600"], stdin=subprocess.DEVNULL)
    open_session()
    say("ready")
    while True:
        time.sleep(600)


def detached() -> None:
    for _ in range(2):
        subprocess.Popen(["setsid", "sleep", "600"], stdin=subprocess.DEVNULL)
    prompt = open_session()
    say("ready")
    until("session/cancel")
    end(prompt, "cancelled")
    silent()


def linger() -> None:
    """End the turn, say one more word when the input ends, and stay until a file `exit` exists."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    prompt = open_session()
    say("done")
    end(prompt)
    while sys.stdin.readline():
        pass
    say(" indeed")
    while not Path("exit").exists():
        time.sleep(0.02)


def reason() -> None:
    prompt = open_session()
    say("so far")
    end(prompt, sys.argv[2])
    silent()


def wait() -> None:
    prompt = open_session()
    say("ready")
    until("session/cancel")
    end(prompt, "cancelled")
    silent()


def sulk() -> None:
    """Ask, and end the turn silently when refused, by the reason named; answer a second prompt."""
    prompt = open_session()
    call = {"toolCallId": "t1", "title": "Delete all", "kind": "delete"}
    options = [{"optionId": "n", "name": "No", "kind": "reject_once"}]
    send(
        {
            "id": 1,
            "method": "session/request_permission",
            "params": {"sessionId": SESSION, "toolCall": call, "options": options},
        }
    )
    receive()
    end(prompt, *sys.argv[2:])
    prompt = until("session/prompt")
    say(prompt["params"]["prompt"][0]["text"])  # type: ignore[index]
    end(prompt)
    silent()


def ask() -> None:
    """Ask for each tool call of the JSON list in the prompt, and say what was answered.

    `titleChars` stands for a title of that length.
    """
    prompt = open_session()
    text: str = prompt["params"]["prompt"][0]["text"]  # type: ignore[index]
    options = [
        {"optionId": kind, "name": kind, "kind": kind}
        for kind in ("allow_always", "allow_once", "reject_once")
    ]
    for number, call in enumerate(json.JSONDecoder().raw_decode(text[text.index("[") :])[0]):
        title = "x" * call.pop("titleChars", 0) or call.get("title", "Do it")
        params = {"sessionId": SESSION, "toolCall": {**call, "title": title}, "options": options}
        send({"id": number, "method": "session/request_permission", "params": params})
        say(f"{receive()['result']['outcome'].get('optionId')}\n")  # type: ignore[index]
    end(prompt)
    silent()


def inquire() -> None:
    """Ask the questions of the JSON object in the prompt, and say each answer as JSON.

    `questions` has the parameters of each, with a `method` for another than `elicitation/create`,
    `nested` for the depth of what stands for the text `$nested`, and `padding` for the length of another
    member. `together` asks all before the first answer, `late` ends the turn first, while a child is
    running, and `shortly` a moment before each question, or asks at the end of the input. `afterwards`
    asks when the input has ended and exits, `complete` reports an address as dealt with, and `withdraw`
    cancels the request.
    """
    call = until("initialize")
    offered = call["params"]["clientCapabilities"]["elicitation"]  # type: ignore[index]
    answer(call, {"protocolVersion": 1, "agentCapabilities": {"sessionCapabilities": {"resume": {}}}})
    opening = receive()
    answer(opening, {"sessionId": SESSION})
    prompt = until("session/prompt")
    text: str = prompt["params"]["prompt"][0]["text"]  # type: ignore[index]
    todo = json.JSONDecoder().raw_decode(text[text.index("{") :])[0]
    say(f"offered {json.dumps(offered)}\n")
    if "late" in todo:
        update("subagent_update", sessionId="child", title="child", status="running")
        end(prompt)
    if "shortly" in todo:
        end(prompt)
    if "afterwards" in todo:
        end(prompt)
        while sys.stdin.readline():
            pass
    for number, params in enumerate(todo["questions"]):
        size = params.pop("sizes", None)
        if size is not None:
            params["requestedSchema"] = {"properties": {f"f{n}": {"type": "string"} for n in range(size)}}
        method = params.pop("method", "elicitation/create")
        if "shortly" in todo:
            select.select([sys.stdin], [], [], 0.05)
        depth = params.pop("nested", 0)
        params["padding"] = "x" * params.pop("padding", 0)
        send({"id": number, "method": method, "params": {"sessionId": SESSION, **params}}, depth)
        if "together" not in todo and "afterwards" not in todo:
            say_answer(prompt, todo)
    if "afterwards" in todo:
        return
    for _ in todo["questions"] if "together" in todo else ():
        say_answer(prompt, todo)
    if "late" in todo:
        update("subagent_update", sessionId="child", title="child", status="completed")
    elif "shortly" not in todo:
        end(prompt)
    silent()


def say_answer(prompt: Json, todo: Json) -> None:
    if "withdraw" in todo:
        send({"method": "$/cancel_request", "params": {"requestId": 0}})
    if "complete" in todo:
        send({"method": "elicitation/complete", "params": {"elicitationId": todo["complete"]}})
    message = receive()
    if message.get("method") == "session/cancel":
        end(prompt, "cancelled")
        silent()
    found = message.get("result") or message.get("error")
    say(f"{message['id']} {json.dumps(found, ensure_ascii=False)}\n")


def play() -> None:
    """Do the steps of a JSON list, one after the other.

    `{update, session?}` sends an update, with `every` for ever, `{notify, params}` another notification,
    `{stderr}` writes a line, `{ask, withdraws?}` asks for permission, withdraws that after seconds, and waits
    for the answer, `{until}` waits for a method, `{end, reply?}` and `{fail}` answer a prompt, and `{prompt}`
    waits for one.
    """
    prompt = open_session()
    for step in json.loads(sys.argv[2]):
        match step:
            case {"update": dict(what), "every": float(seconds)}:
                while True:
                    send({"method": "session/update", "params": {"sessionId": SESSION, "update": what}})
                    time.sleep(seconds)
            case {"update": dict(what)}:
                session = step.get("session", SESSION)
                send({"method": "session/update", "params": {"sessionId": session, "update": what}})
            case {"notify": method}:
                send({"method": method, "params": step["params"]})
            case {"stderr": text}:
                sys.stderr.write(f"{text}\n")
                sys.stderr.flush()
            case {"until": method}:
                until(method)
            case {"prompt": _}:
                prompt = until("session/prompt")
            case {"ask": dict(params)}:
                send({"id": 1, "method": "session/request_permission", "params": params})
                if "withdraws" in step:
                    select.select([], [], [], float(step["withdraws"]))
                    send({"method": "$/cancel_request", "params": {"requestId": 1}})
                answer = receive()
                if "withdraws" in step:
                    say(f"answer: {json.dumps(answer.get('result'))}\n")
            case {"end": reason}:
                end(prompt, reason, **step.get("reply", {}))
            case {"fail": error}:
                send({"id": prompt["id"], "error": error})
    silent()


SCENARIOS: dict[str, Callable[[], None]] = {
    function.__name__: function
    for function in (
        *(silent, leave, auth, version, garbage, deep, crash, close_output, big, flood, flood_tools),
        *(die_once, die_always, fail_to_open, speak_early),
        *(odd_updates, deaf, detached, linger, reason, report, wait, sulk, ask, inquire, play),
    )
}

if __name__ == "__main__":
    SCENARIOS[sys.argv[1]]()
