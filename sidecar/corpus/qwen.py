"""Chats of Qwen Code: `projects/<project>/chats/<id>.jsonl`, and the former `tmp/<hash>/chats/`.

Those of subagents are in `projects/<project>/subagents/<id of the session>/`.
"""

import hashlib
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from sidecar.corpus.invention import HOUR, Inventor, Json, iso, on_one_line
from sidecar.corpus.truth import Truth, Used, by_model, status_of

STORE: Final = "qwen"
MODEL: Final = "qwen3-coder-plus"
OTHER_MODEL: Final = "qwen3-coder-flash"
CASES: Final = (
    "plain",
    "thoughts inside of the output",
    "thoughts apart",
    "a tool without result",
    "interrupted an hour ago",
    "cancelled tool",
    "error of the service",
    "former layout",
    "both layouts",
    "a record twice",
    "command first",
    "cut last line",
    "another model",
    "parent",
    "subagent of an unknown session",
)
"""One session each; the parent also has two children. Chats of commands only and empty files do not count."""


class Chat:
    """Writes one chat, and keeps count of its true values."""

    def __init__(self, inventor: Inventor, case: str, parent: "Chat | None" = None) -> None:
        self.inventor, self.case, self.parent = inventor, case, parent
        self.id, self.word = inventor.uuid(), inventor.word()
        self.session = self.id
        """The session that the records name: that of a subagent is its parent's."""
        self.is_child = parent is not None or case == "subagent of an unknown session"
        if self.is_child:
            self.session = parent.id if parent else inventor.uuid()
            self.id = f"agent-general-purpose-call_{self.id.replace('-', '')}"
        self.folder: str = parent.folder if parent else inventor.folder()
        self.lines: list[Json] = []
        self.times: list[int] = []
        self.used, self.count = Used(), 0
        self.model = MODEL
        self.answers: list[tuple[str, Used, int]] = []
        self.title = ""
        self.end = "answered"
        if parent is None:
            inventor.start(HOUR if case == "interrupted an hour ago" else None)

    def tell(self) -> None:
        """Write the records."""
        if self.case == "command first":
            self._system("slash_command", {"phase": "invocation", "rawCommand": "/about"})
        for turn in range(self.inventor.turns()):
            self.ask(self.inventor.prompt(self.word if turn == 0 else ""))
            for _ in range(self.inventor.random.randint(0, 2)):
                self.answer(tool=True)
                self.result("success")
            self.answer()
            self._system("ui_telemetry", _telemetry("qwen-code.api_response"))
        self._finish()

    def _finish(self) -> None:
        if self.case in ("a tool without result", "interrupted an hour ago"):
            self.ask(self.inventor.prompt())
            self.answer(tool=True)
            self.end = "open"
        elif self.case == "another model":
            self.model = OTHER_MODEL
            self.ask(self.inventor.prompt())
            self.answer()
        elif self.case == "cancelled tool":
            self.ask(self.inventor.prompt())
            self.answer(tool=True)
            self.result("cancelled")
            self.end = "cancelled"
        elif self.case == "error of the service":
            self.ask(self.inventor.prompt())
            self._system("ui_telemetry", _telemetry("qwen-code.api_error"))
            self.end = "failed"

    def ask(self, prompt: str) -> None:
        """Add what a person typed."""
        self.title = self.title or on_one_line(prompt)
        self.count += 1
        self._add("user", message={"role": "user", "parts": [{"text": prompt}]})

    def answer(self, *, tool: bool = False) -> None:
        """Add an answer of the model."""
        inventor = self.inventor
        given, made = inventor.tokens(), inventor.tokens(10, 2_000)
        cached = inventor.random.randrange(given)
        thoughts = inventor.random.randrange(made) if self.case.startswith("thoughts") else 0
        apart = self.case == "thoughts apart"
        parts: list[Json] = [{"text": "Hm.", "thought": True}] if thoughts else []
        parts.append({"text": inventor.reply(self.word)})
        if tool:
            parts.append(
                {
                    "functionCall": {
                        "id": f"call_{len(self.lines)}",
                        "name": "read_file",
                        "args": {"absolute_path": "/x/a.py"},
                    }
                }
            )
        usage = {
            "promptTokenCount": given,
            "candidatesTokenCount": made,
            "cachedContentTokenCount": cached,
            "thoughtsTokenCount": thoughts,
            "totalTokenCount": given + made + (thoughts if apart else 0),
        }
        self.count += 1
        used = Used(input=given - cached, output=made + (thoughts if apart else 0), cache_reads=cached)
        self.used.add(used)
        self.answers.append((self.model, used, 1))
        named = {} if self.is_child else {"model": self.model}
        self._add("assistant", message={"role": "model", "parts": parts}, **named, usageMetadata=usage)
        if self.case == "a record twice" and not tool:
            small = {**usage, "candidatesTokenCount": 1, "totalTokenCount": given + 1}
            self.lines.insert(-1, {**self.lines[-1], "usageMetadata": small})

    def result(self, status: str) -> None:
        """Add the result of the last call of a tool."""
        call = self.lines[-1]["message"]["parts"][-1]["functionCall"]
        response = {
            "functionResponse": {"id": call["id"], "name": call["name"], "response": {"output": "ok"}}
        }
        result = {"callId": call["id"], "status": status}
        self._add("tool_result", message={"role": "user", "parts": [response]}, toolCallResult=result)

    def _system(self, subtype: str, payload: Json) -> None:
        self._add("system", subtype=subtype, systemPayload=payload)

    def _add(self, kind: str, **members: object) -> None:
        before = self.lines[-1]["uuid"] if self.lines else None
        head = {"uuid": self.inventor.uuid(), "parentUuid": before, "sessionId": self.session}
        if self.is_child:
            head |= {"agentId": self.id.removeprefix("agent-"), "isSidechain": True}
        place = {"cwd": self.folder, "version": "0.6.0", "gitBranch": "main"}
        self.times.append(self.inventor.tick())
        self.lines.append({**head, "timestamp": iso(self.times[-1]), "type": kind, **place, **members})

    def write(self, root: Path) -> None:
        """Write the file, in one or both layouts."""
        text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in self.lines)
        if self.case == "cut last line":
            text += text.splitlines()[-1][:90]
        hashed = Path("tmp", hashlib.sha256(self.folder.encode()).hexdigest())
        named = Path("projects", re.sub(r"[^A-Za-z0-9]", "-", self.folder))
        if self.is_child:
            self._write_child(root / named / "subagents" / self.session, text)
            return
        places = {"former layout": [hashed], "both layouts": [hashed, named]}.get(self.case, [named])
        for place in places:
            file = root / place / "chats" / f"{self.id}.jsonl"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8", newline="\n")

    def _write_child(self, folder: Path, text: str) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{self.id}.jsonl").write_text(text, encoding="utf-8", newline="\n")
        about = {"agentId": self.id.removeprefix("agent-"), "agentType": "general-purpose", "model": MODEL}
        (folder / f"{self.id}.meta.json").write_text(json.dumps(about), encoding="utf-8")

    def with_children(self, children: Sequence["Chat"]) -> Json:
        """Return the usage of a parent with that of its children apart."""
        whole = Used()
        for chat in (self, *children):
            whole.add(chat.used)
        return {**self.used.wire(), "withChildren": whole.wire()}

    def truth(self) -> Truth:
        """Return the true values."""
        status, outcome = status_of(self.end, self.times[-1])
        return Truth(
            id=self.id,
            product="qwen",
            store=STORE,
            case=self.case,
            title=self.title,
            workspace_dir=self.folder,
            model=self.model,
            created_at=self.times[0],
            last_activity=self.times[-1],
            message_count=self.count,
            token_usage={**self.used.wire(), "byModel": by_model(self.answers)},
            status=status,
            outcome=outcome,
            parent_id=self.parent.id if self.parent else None,
            listed=not self.is_child,
            word=self.word,
        )


def write_qwen(root: Path, seed: int = 0, rounds: int = 1) -> list[Truth]:
    """Write a store of `rounds` sessions of every case, and return their true values."""
    inventor, truths = Inventor(seed, STORE), []
    for _ in range(rounds):
        for case in CASES:
            chat = Chat(inventor, case)
            chat.tell()
            chat.write(root)
            truths.append(chat.truth())
            if case == "parent":
                children = [_child_of(chat) for _ in range(2)]
                for child in children:
                    child.write(root)
                truths[-1].token_usage = chat.with_children(children)
                truths += [child.truth() for child in children]
    commands = Chat(inventor, "plain")
    commands._system("slash_command", {"phase": "invocation", "rawCommand": "/stats"})
    commands.write(root)
    (root / "projects" / "-x" / "chats").mkdir(parents=True, exist_ok=True)
    (root / "projects" / "-x" / "chats" / f"{inventor.uuid()}.jsonl").write_bytes(b"")
    (root / "settings.json").write_text("{}", encoding="utf-8")
    return truths


def _child_of(chat: Chat) -> Chat:
    child = Chat(chat.inventor, "subagent", parent=chat)
    child.tell()
    return child


def _telemetry(name: str) -> Json:
    return {"uiEvent": {"event.name": name, "input_token_count": 999_999, "output_token_count": 99_999}}
