"""An agent on the bare wire that can be equipped: `equipped.py '{"capabilities": {...}, ...}' [--sign-in]`.

It appends each request to `requests.jsonl` in its folder, and answers a prompt with its texts. Members:
capabilities    what it announces in `agentCapabilities`
session         what it adds to the answer that opens a session: `modes`, `configOptions`
commands        the slash commands that it announces
stderr          a line that it logs when the session opens; `$NAME` is a variable of its first server
keeps           the ids of the options that it says it sets, but does not
refuses         the ids of the options that it refuses to set
steers          whether it takes a message during a turn, which then ends
waits           whether a prompt is answered only when another one comes, or a cancel
auth            the `authMethods` that it announces; with it, sessions fail until it is signed in
signedIn        the file that says that it is, which `--sign-in` writes
expires         whether its sign-in is refused only when a prompt comes
"""

import json
import sys
from pathlib import Path
from typing import Any

from tests.agents.raw import Json, answer, end, receive, say, send, update


class Agent:
    def __init__(self, behavior: dict[str, Any]) -> None:
        self.behavior = behavior
        self.options: list[Json] = behavior.get("session", {}).get("configOptions", [])
        self.mode: Any = behavior.get("session", {}).get("modes")
        self.waiting: Json | None = None

    def serve(self) -> None:
        while True:
            call: Any = receive()
            with Path("requests.jsonl").open("a") as file:
                file.write(json.dumps(call) + "\n")
            match call.get("method"):
                case "initialize":
                    hello = {"protocolVersion": 1, "agentCapabilities": self.behavior.get("capabilities", {})}
                    hello["_meta"] = {"steering": {"supported": self.behavior.get("steers", False)}}
                    answer(call, {**hello, "authMethods": self.behavior.get("auth", [])})
                case "session/new":
                    self.open(call)
                case "session/set_mode":
                    self.mode["currentModeId"] = call["params"]["modeId"]
                    answer(call, {})
                case "session/set_config_option":
                    self.choose(call)
                case "session/prompt":
                    self.prompted(call)
                case "_session/steering":
                    answer(call, {"outcome": "injected"})
                    say("steered")
                    end(self.waiting or {})
                case "session/cancel" if self.waiting is not None:
                    end(self.waiting, "cancelled")

    def open(self, call: Any) -> None:
        if "auth" in self.behavior and not self.behavior.get("expires") and not self.is_signed_in():
            refuse(call)
            return
        if "stderr" in self.behavior:
            values = {each["name"]: each["value"] for each in call["params"]["mcpServers"][0]["env"]}
            line = self.behavior["stderr"]
            for name, value in values.items():
                line = line.replace(f"${name}", value)
            sys.stderr.write(f"{line}\n")
            sys.stderr.flush()
        answer(call, {"sessionId": "session-1", **self.behavior.get("session", {})})
        if "commands" in self.behavior:
            update("available_commands_update", availableCommands=self.behavior["commands"])

    def is_signed_in(self) -> bool:
        return "signedIn" in self.behavior and Path(self.behavior["signedIn"]).exists()

    def choose(self, call: Any) -> None:
        params = call["params"]
        if params["configId"] in self.behavior.get("refuses", []):
            send({"id": call["id"], "error": {"code": -32602, "message": "not now"}})
            return
        for option in self.options:
            if option["id"] == params["configId"] and option["id"] not in self.behavior.get("keeps", []):
                option["currentValue"] = params["value"]
        answer(call, {"configOptions": self.options})

    def prompted(self, call: Any) -> None:
        if self.behavior.get("expires") and not self.is_signed_in():
            refuse(call)
            return
        texts = [block["text"] for block in call["params"]["prompt"] if block["type"] == "text"]
        say(f"{' '.join(texts)}\n")
        if self.behavior.get("waits") and self.waiting is None:
            self.waiting = call
            return
        if self.waiting is not None:
            end(self.waiting)
            self.waiting = None
        end(call)


def refuse(call: Any) -> None:
    send({"id": call["id"], "error": {"code": -32000, "message": "Authentication required"}})


def sign_in(file: str) -> None:
    Path(file).touch()
    sys.stdout.write("You are signed in.\n")


if __name__ == "__main__":
    equipment = json.loads(sys.argv[1])
    if "--sign-in" in sys.argv:
        sign_in(equipment["signedIn"])
    else:
        Agent(equipment).serve()
