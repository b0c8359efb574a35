"""One chat of Gemini CLI, in a document or in lines, and its true values."""

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

from sidecar.corpus.invention import DAY, HOUR, Inventor, Json, iso, on_one_line
from sidecar.corpus.truth import Truth, Used, by_model, status_of

MODEL: Final = "gemini-3-pro-preview"
CHILD_MODEL: Final = "gemini-3-flash-preview"
_AGES: Final = {"interrupted an hour ago": HOUR, "interrupted three days ago": 3 * DAY}
_NEWER: Final = ("lines, calls apart", "lines, opened again")
"""What versions since 0.61 write: every process begins with its context as all messages."""
_SWITCHED: Final = ("another model", "lines, another model")
_OPEN: Final = ("a tool without answer", *_AGES)
_ENDS: Final = {"cancelled": "cancelled", "declined tool": "cancelled", "error": "failed"}


class Layout(NamedTuple):
    """A store's root, and the short names of its projects by their folder."""

    root: Path
    slugs: dict[str, str]

    def chats(self, folder: str, *, hashed: bool = False) -> Path:
        """Return the folder of a project's chats."""
        name = hashlib.sha256(folder.encode()).hexdigest() if hashed else self.slugs[folder]
        return self.root / "tmp" / name / "chats"


class Chat:
    """Writes one chat, and keeps count of its true values."""

    def __init__(self, inventor: Inventor, case: str, parent: "Chat | None" = None) -> None:
        self.inventor, self.case, self.parent = inventor, case, parent
        self.is_child = parent is not None or case == "subagent of an unknown session"
        self.id = inventor.uuid() if not self.is_child else inventor.word()
        self.word = inventor.word()
        self.folder: str = parent.folder if parent else inventor.folder()
        self.messages: list[Json] = []
        self.lines: list[Json] = []
        self.earlier: str | None = None
        """The document of an earlier process, before the session was resumed."""
        self.summary: str | None = None
        self.prompt = ""
        self.model = CHILD_MODEL if self.is_child else MODEL
        self.created = inventor.start(_AGES.get(case)) if parent is None else inventor.tick()
        self.last = self.created

    def tell(self) -> None:
        """Write the messages."""
        if self.case == "command first":
            self.say("user", "/about")
        if self.case in _NEWER:
            self._set_context()
        for turn in range(self.inventor.turns()):
            self.turn(self.word if turn == 0 else "")
        if self.case in ("resumed, older messages repeated", "taken back after a resume"):
            if self.case == "taken back after a resume":
                self.turn("")
            self.earlier = self.document()
            self.inventor.wait(20)
            if self.case == "taken back after a resume":
                self._take_back()
            self.turn("")
        elif self.case == "lines, replaced and taken back":
            self.turn("")
            self._take_back()
            self.turn("")
        elif self.case == "lines, all replaced":
            self._replace_all()
        elif self.case in _SWITCHED:
            self.model = CHILD_MODEL
            self.turn("")
        elif self.case == "lines, opened again":
            self.lines.append({**self.metadata(), "kind": "main"})
            self._set_context()
            self.turn("")
        self._finish()
        if self.case in ("one document", "hash and slug folder", "parent", "lines, replaced and taken back"):
            self.summary = f"Summary {self.inventor.word()}"

    def turn(self, word: str) -> None:
        """Add a prompt and its answers."""
        self.say("user", self.inventor.prompt(word))
        for _ in range(self.inventor.random.randint(0, 2)):
            self.answer("", tool="success")
        self.answer(self.inventor.reply(self.word))

    def _finish(self) -> None:
        if self.case in _OPEN:
            self.say("user", self.inventor.prompt())
            self.answer("", tool="success")
        elif self.case == "declined tool":
            self.say("user", self.inventor.prompt())
            self.answer("", tool="cancelled")
        elif self.case == "cancelled":
            self.say("user", self.inventor.prompt())
            self.say("info", "Request cancelled.")
        elif self.case == "error":
            self.say("user", self.inventor.prompt())
            self.say("error", "[API Error: quota exceeded]")

    def say(self, kind: str, text: str) -> None:
        """Add a message of a person or of the product."""
        content: Any = text
        if kind == "user" and (self.case == "parts and display text" or self.inventor.random.random() < 0.4):
            content = [{"text": text}]
        message = {"id": self.inventor.uuid(), "timestamp": self._now(), "type": kind, "content": content}
        if self.case == "parts and display text" and kind == "user":
            message["content"] = [{"text": text}, {"text": "\n--- Content from referenced files ---\nx = 1"}]
            message["displayContent"] = text
        self._add(message)

    def answer(self, text: str, tool: str | None = None) -> None:
        """Add an answer of the model, with a call of a tool or without one."""
        inventor = self.inventor
        given, made, thoughts = (
            inventor.tokens(),
            inventor.tokens(10, 1_500),
            inventor.random.choice((0, 0, 700)),
        )
        extra = inventor.random.choice((0, 0, 120))
        tokens = {
            "input": given,
            "output": made,
            "cached": inventor.random.randrange(given),
            "thoughts": thoughts,
            "tool": extra,
            "total": given + made + thoughts + extra,
        }
        thought = {"subject": "Plan", "description": "Read the code.", "timestamp": iso(inventor.time)}
        message: Json = {"id": inventor.uuid(), "timestamp": self._now(), "type": "gemini", "content": text}
        message |= {"thoughts": [thought], "tokens": tokens, "model": self.model}
        calls = {"toolCalls": [_call(inventor, tool)]} if tool is not None else {}
        if self.case not in _NEWER:
            message |= calls
        if self._in_lines:
            self.lines.append({**message, "tokens": None})
            self.lines.append({**message, "tokens": {**tokens, "output": 1, "total": given + 1}})
        self._add(message)
        if calls and self.case in _NEWER:
            apart = {"id": inventor.uuid(), "timestamp": self._now(), "type": "gemini", "content": ""}
            self.lines.append({**apart, "model": message["model"], **calls})

    @property
    def _in_lines(self) -> bool:
        return self.case.startswith("lines")

    def _now(self) -> str:
        self.last = self.inventor.tick()
        return iso(self.last)

    def _add(self, message: Json) -> None:
        self.messages.append(message)
        self.lines.append(message)
        self.lines.append({"$set": {"lastUpdated": message["timestamp"]}})

    def _take_back(self) -> None:
        """Take back everything from the last prompt on."""
        start = max(place for place, each in enumerate(self.messages) if each["type"] == "user")
        self.lines.append({"$rewindTo": self.messages[start]["id"]})
        del self.messages[start:]

    def _replace_all(self) -> None:
        """Replace all messages, as a compression does, by the first two."""
        del self.messages[2:]
        self.lines.append({"$set": {"messages": [dict(each) for each in self.messages]}})
        self.turn("")

    def _set_context(self) -> None:
        context = [{"text": "<session_context>\nThis is the Gemini CLI."}]
        message = {"id": self.inventor.uuid(), "timestamp": self._now(), "type": "user", "content": context}
        self.lines.append({"$set": {"messages": [message]}})

    def metadata(self) -> Json:
        """Return the members that describe the chat."""
        known: Json = {"sessionId": self.id, "projectHash": hashlib.sha256(self.folder.encode()).hexdigest()}
        known |= {"startTime": iso(self.created), "lastUpdated": iso(self.last)}
        if self.is_child:
            known |= {"kind": "subagent", "directories": [f"{self.folder}-other"]}
        return known

    def document(self) -> str:
        """Return the chat as one document."""
        summary = {"summary": self.summary} if self.summary else {}
        return json.dumps(
            {**self.metadata(), "messages": self.messages, **summary}, indent=2, ensure_ascii=False
        )

    def _text(self) -> str:
        if not (self._in_lines or self.case == "taken back after a resume"):
            return self.document()
        first = {**self.metadata(), "lastUpdated": iso(self.created), "kind": "main"}
        last = [{"$set": {"summary": self.summary}}] if self.summary else []
        text = "".join(json.dumps(each, ensure_ascii=False) + "\n" for each in (first, *self.lines, *last))
        return text + '{"id":"half a mess' if self.case == "lines, cut" else text

    def write(self, layout: Layout) -> None:
        """Write the file or files."""
        lines = self._in_lines or self.case == "taken back after a resume"
        stamp = iso(self.created)[:16].replace(":", "-")
        name = self.id if self.is_child else f"session-{stamp}-{self.id[:8]}"
        only_hash = self.case == "hash folder only"
        chats = layout.chats(self.folder, hashed=only_hash)
        if self.is_child:
            chats /= self.parent.id if self.parent else "skill-extraction-0a1b2c3d"
        _write(chats / f"{name}{'.jsonl' if lines else '.json'}", self._text())
        if self.case in ("hash and slug folder", "parent"):
            _write(layout.chats(self.folder, hashed=True) / f"{name}.json", self.document())
        if self.earlier is not None:
            _write(layout.chats(self.folder, hashed=True) / f"{name}-a.json", self.earlier)

    def used(self) -> Used:
        """Return what the answers used; those that were taken back count nowhere."""
        whole = Used()
        for _, used, _ in self._answers():
            whole.add(used)
        return whole

    def _answers(self) -> Iterator[tuple[str, Used, int]]:
        for answer in (each for each in self.messages if each["type"] == "gemini"):
            tokens = answer["tokens"]
            given = tokens["input"] - tokens["cached"] + tokens["tool"]
            made = tokens["output"] + tokens["thoughts"]
            yield answer["model"], Used(input=given, output=made, cache_reads=tokens["cached"]), 1

    def with_child(self, child: "Chat") -> Json:
        """Return the usage of a parent with that of its child apart."""
        both = self.used()
        both.add(child.used())
        return {**self.used().wire(), "withChildren": both.wire()}

    def truth(self) -> Truth:
        """Return the true values."""
        prompts = [
            each for each in self.messages if each["type"] == "user" and not _shown(each).startswith("/")
        ]
        answers = [each for each in self.messages if each["type"] == "gemini"]
        end = "open" if self.case in _OPEN else _ENDS.get(self.case, "answered")
        status, outcome = status_of(end, self.last)
        return Truth(
            id=self.id,
            product="gemini",
            store="gemini",
            case=self.case,
            title=self.summary or on_one_line(_shown(prompts[0])),
            workspace_dir=self.folder,
            model=answers[-1]["model"],
            created_at=self.created,
            last_activity=self.last,
            message_count=len(prompts) + len(answers),
            token_usage={**self.used().wire(), "byModel": by_model(self._answers())},
            status=status,
            outcome=outcome,
            parent_id=self.parent.id if self.parent else None,
            listed=not self.is_child,
            word=self.word,
        )


def _shown(message: Json) -> str:
    content: Any = message["displayContent"] if "displayContent" in message else message["content"]
    return content if isinstance(content, str) else "".join(part["text"] for part in content)


def _call(inventor: Inventor, status: str) -> Json:
    name, call_id = "run_shell_command", f"run_shell_command-{inventor.time}-{inventor.word()}"
    answer = {"functionResponse": {"id": call_id, "name": name, "response": {"output": "ok"}}}
    shown = {"args": {"command": "make test", "sessionId": "decoy"}, "status": status, "resultDisplay": "ok"}
    return {"id": call_id, "name": name, **shown, "timestamp": iso(inventor.time), "result": [answer]}


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="\n")
