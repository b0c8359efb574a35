"""An agent with modes, on the bare wire: `modes.py '{"start": "auto", ...}'`.

When prompted it writes `out.txt`: in mode `default` it asks first, in any other it just writes. Members:
start     the mode a session begins in ("auto")
offers    the modes it has (["default", "auto"])
by        how it announces them: ["modes"], ["options"] or both (both)
answer    what it does with a choice: "take" it, "refuse" it, confirm it and "stay", "stay" only "later"
switch    whether it switches to `auto` by itself once it is prompted
"""

import json
import sys
from pathlib import Path
from typing import Any

from tests.agents.raw import Json, answer, end, receive, say, send, update

DEFAULTS = {
    "start": "auto",
    "offers": ["default", "auto"],
    "by": ["modes", "options"],
    "answer": "take",
    "switch": False,
}


class Agent:
    def __init__(self, behavior: dict[str, Any]) -> None:
        self.behavior = {**DEFAULTS, **behavior}
        self.mode = dict.fromkeys(self.behavior["by"], self.behavior["start"])

    def serve(self) -> None:
        while True:
            call: Any = receive()
            match call.get("method"):
                case "initialize":
                    answer(call, {"protocolVersion": 1, "agentCapabilities": {"loadSession": True}})
                case "session/new":
                    answer(call, {"sessionId": "session-1", **self.announced()})
                case "session/load":
                    say("what was written before")
                    answer(call, self.announced())
                case "session/set_mode":
                    self.choose(call, "modes", call["params"]["modeId"])
                case "session/set_config_option":
                    self.choose(call, "options", call["params"]["value"])
                case "session/prompt":
                    self.act()
                    end(call)

    def announced(self) -> Json:
        found: Json = {}
        if "modes" in self.mode:
            offers = [{"id": mode, "name": mode} for mode in self.behavior["offers"]]
            found["modes"] = {"currentModeId": self.mode["modes"], "availableModes": offers}
        if "options" in self.mode:
            offers = [{"value": mode, "name": mode} for mode in self.behavior["offers"]]
            option = {"id": "m", "name": "Mode", "category": "mode", "type": "select", "options": offers}
            found["configOptions"] = [{**option, "currentValue": self.mode["options"]}]
        return found

    def choose(self, call: Json, by: str, mode: str) -> None:
        if self.behavior["answer"] == "refuse":
            send({"id": call["id"], "error": {"code": -32602, "message": "not in this session"}})
            return
        if self.behavior["answer"] == "take":
            self.mode[by] = mode
        if self.behavior["answer"] == "stay":
            self.tell()
        answer(call, self.announced() if by == "options" else {})
        if self.behavior["answer"] == "later":
            self.tell()

    def tell(self) -> None:
        if "modes" in self.mode:
            update("current_mode_update", currentModeId=self.mode["modes"])
        if "options" in self.mode:
            update("config_option_update", configOptions=self.announced()["configOptions"])

    def act(self) -> None:
        if self.behavior["switch"]:
            self.mode = dict.fromkeys(self.mode, "auto")
            self.tell()
            while True:
                receive()
        if set(self.mode.values()) != {"default"} or self.is_allowed():
            Path("out.txt").write_text("written")
        say("done")

    def is_allowed(self) -> bool:
        options = [
            {"optionId": "yes", "name": "Yes", "kind": "allow_once"},
            {"optionId": "no", "name": "No", "kind": "reject_once"},
        ]
        call = {"toolCallId": "t1", "title": "Write out.txt", "kind": "edit"}
        params = {"sessionId": "session-1", "toolCall": call, "options": options}
        send({"id": 1, "method": "session/request_permission", "params": params})
        reply: Any = receive()
        return bool(reply["result"]["outcome"].get("optionId") == "yes")


if __name__ == "__main__":
    Agent(json.loads(sys.argv[1])).serve()
