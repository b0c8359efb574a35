"""Sessions of Copilot CLI: `session-state/<id>/` with `events.jsonl` and `workspace.yaml`."""

import json
from pathlib import Path
from typing import Any, Final

from sidecar.corpus.invention import HOUR, Inventor, Json, iso, on_one_line
from sidecar.corpus.truth import Truth, Used, by_model, status_of

STORE: Final = "copilot"
MODELS: Final = ("claude-sonnet-4.6", "gpt-5.1-codex-mini")
CASES: Final = (
    "one shutdown",
    "named by the user",
    "named in the editor",
    "summary",
    "several processes",
    "killed in a tool",
    "killed an hour ago",
    "killed after a resume",
    "ended by an error",
    "aborted",
    "error of the service",
    "an answer twice",
    "resumed and left",
    "another model",
    "each request",
    "each request, killed in a tool",
    "each request, resumed after that",
)
"""One session each. Folders without events or without messages do not count."""
_KILLED: Final = (
    "killed in a tool",
    "killed an hour ago",
    "killed after a resume",
    "each request, killed in a tool",
)


class Log:
    """Writes the events of one session, and keeps count of its true values."""

    def __init__(self, inventor: Inventor, case: str) -> None:
        self.inventor, self.case = inventor, case
        self.id, self.word, self.folder = inventor.uuid(), inventor.word(), inventor.folder()
        self.events: list[Json] = []
        self.used, self.output, self.count = Used(), 0, 0
        self.title, self.end, self.model = "", "answered", MODELS[0]
        self.created = self.last = inventor.start(HOUR if case == "killed an hour ago" else None)
        self.answers: list[tuple[str, Used, int]] = []
        self._run: list[tuple[str, Used, int]] = []
        self._run_start = self.created

    def tell(self) -> None:
        """Write the events."""
        started = {
            "sessionId": self.id,
            "version": 1,
            "copilotVersion": "1.0.12",
            "startTime": iso(self.created),
        }
        self.add("session.start", {**started, "selectedModel": self.model, "context": {"cwd": self.folder}})
        self.add("system.message", {"role": "system", "content": "You are a tool. " * 20})
        self._turns()
        if self.case in ("several processes", "killed after a resume", "resumed and left"):
            self._shut_down("routine")
            self._resume()
            if self.case == "several processes":
                self._turns()
                self._shut_down("routine")
                self._resume()
                self._change_model()
            if self.case != "resumed and left":
                self._turns()
        elif self.case in ("another model", "each request"):
            self._change_model()
            self._turns()
        elif self.case == "each request, resumed after that":
            self._stop_in_a_tool()
            self._resume()
            self._turns()
        self._finish()

    def _change_model(self) -> None:
        self.model = MODELS[1]
        self.add("session.model_change", {"previousModel": MODELS[0], "newModel": MODELS[1]})

    def _turns(self) -> None:
        for _ in range(self.inventor.turns()):
            self.ask()
            for _ in range(self.inventor.random.randint(0, 2)):
                self.answer(tool=True)
                self._work()
            self.answer()

    def _finish(self) -> None:
        if self.case in _KILLED:
            self._stop_in_a_tool()
            self.end = "open"
        elif self.case == "ended by an error":
            self._shut_down("error")
            self.end = "failed"
        elif self.case == "aborted":
            self.ask()
            self.add("abort", {"reason": "user initiated"})
            self.end = "cancelled"
        elif self.case == "error of the service":
            self.ask()
            self.add("session.error", {"errorType": "query", "message": "quota exceeded", "statusCode": 429})
            self.end = "failed"
        elif self.case != "resumed and left":
            self._shut_down("routine")

    def _stop_in_a_tool(self) -> None:
        self.ask()
        self.answer(tool=True)
        call = {"toolCallId": "t", "toolName": "view", "arguments": {"path": "/x"}}
        self.add("tool.execution_start", call)

    @property
    def _records_requests(self) -> bool:
        """Return whether the version records the usage of each request, and of all runs at the end of one."""
        return self.case.startswith("each request")

    def ask(self) -> None:
        """Add what a person typed."""
        prompt = self.inventor.prompt("" if self.title else self.word)
        self.title = self.title or on_one_line(prompt)
        self.count += 1
        transformed = f"<current_datetime>2026-01-01</current_datetime>\n\n{prompt}"
        self.add("user.message", {"content": prompt, "transformedContent": transformed, "attachments": []})

    def answer(self, *, tool: bool = False) -> None:
        """Add an answer of the model."""
        inventor, made = self.inventor, self.inventor.tokens(10, 2_000)
        reads, writes, rest = inventor.tokens(), inventor.tokens(100, 5_000), inventor.tokens(100, 9_000)
        used = Used(input=rest, output=made, cache_reads=reads, cache_writes=writes)
        self._run.append((self.model, used, 1))
        self.output += made
        self.count += 1
        request = {"toolCallId": f"t{len(self.events)}", "name": "view", "arguments": {"path": "/x/a.py"}}
        data: Json = {"messageId": inventor.uuid(), "model": self.model, "content": inventor.reply(self.word)}
        data |= {
            "toolRequests": [request] if tool else [],
            "requestId": inventor.word(),
        }
        self.add("assistant.turn_start", {"turnId": str(self.count)})
        if self._records_requests:
            usage = {"model": self.model, **_usage(used), "cost": 0.33, "apiCallId": "c1"}
            self.add("session.usage_record", {"usage": usage})
        else:
            data["outputTokens"] = made
        if self.case == "an answer twice":
            self.add("assistant.message", {**data, "outputTokens": 1})
        self.add("assistant.message", data)

    def _work(self) -> None:
        request = self.events[-1]["data"]["toolRequests"][0]
        call = {"toolCallId": request["toolCallId"]}
        self.add("tool.execution_start", {**call, "toolName": "view", "arguments": request["arguments"]})
        self.add(
            "hook.start", {"hookType": "postToolUse", "input": {"toolResult": {"textResultForLlm": "ok"}}}
        )
        result = {"content": "ok", "detailedContent": "ok"}
        decoy = {"properties": {}, "metrics": {"outputTokens": 9_999}}
        self.add(
            "tool.execution_complete", {**call, "success": True, "result": result, "toolTelemetry": decoy}
        )
        self.add("assistant.turn_end", {"turnId": str(self.count)})

    def _shut_down(self, kind: str) -> None:
        models = dict.fromkeys(model for model, _, _ in self._run)
        metrics = {
            model: _metrics([used for name, used, _ in self._run if name == model]) for model in models
        }
        started = iso(self.created) if self._records_requests else self._run_start
        data = {"shutdownType": kind, "sessionStartTime": started, "modelMetrics": metrics}
        self.add("session.shutdown", {**data, "totalPremiumRequests": 1, "currentTokens": 30_000})
        for _, used, _ in self._run:
            self.used.add(used)
        self.answers += self._run
        self._run = []

    def _resume(self) -> None:
        self.inventor.wait(9)
        self._run_start = self.inventor.time
        self.add(
            "session.resume", {"resumeTime": iso(self.inventor.time), "context": {"cwd": f"{self.folder}2"}}
        )

    def add(self, kind: str, data: Json) -> None:
        """Add an event."""
        before = self.events[-1]["id"] if self.events else None
        self.last = self.inventor.tick()
        head = {"type": kind, "data": data, "id": self.inventor.uuid()}
        self.events.append({**head, "timestamp": iso(self.last), "parentId": before})

    def write(self, root: Path) -> None:
        """Write the session's folder."""
        folder = root / "session-state" / self.id
        text = "".join(json.dumps(event, ensure_ascii=False) + "\n" for event in self.events)
        if self.case in _KILLED:
            text += '{"type":"assistant.mess'
        write_folder(folder, self._names())
        (folder / "events.jsonl").write_text(text, encoding="utf-8", newline="\n")
        if self.case == "named in the editor":
            self.title = f"Custom {self.inventor.word()}"
            custom = json.dumps({"customTitle": self.title})
            (folder / "vscode.metadata.json").write_text(custom, encoding="utf-8")

    def _names(self) -> Json:
        names: Json = {"id": self.id, "cwd": f"{self.folder}-yaml", "branch": "main", "user_named": False}
        if self.case == "named by the user":
            self.title = f"Name: {self.inventor.word()} # 日志"
            names |= {"name": self.title, "user_named": True, "summary": "Not this"}
        elif self.case == "summary":
            self.title = f"Summary {self.inventor.word()}"
            names |= {"summary": self.title, "summary_count": 1}
        return {**names, "created_at": iso(self.created), "updated_at": iso(self.last)}

    def truth(self) -> Truth:
        """Return the true values."""
        status, outcome = status_of(self.end, self.last)
        unknown: dict[str, Any] = dict.fromkeys(("input", "cacheReads", "cacheWrites", "total", "cost"))
        if self._records_requests:
            for _, used, _ in self._run:
                self.used.add(used)
            self.answers, self._run = self.answers + self._run, []
        recorded = {**self.used.wire(), "byModel": by_model(self.answers)}
        return Truth(
            id=self.id,
            product="copilot",
            store=STORE,
            case=self.case,
            title=self.title,
            workspace_dir=self.folder,
            model=self.model,
            created_at=self.created,
            last_activity=self.last,
            message_count=self.count,
            token_usage={**unknown, "output": self.output} if self._run else recorded,
            status=status,
            outcome=outcome,
            word=self.word,
        )


def _metrics(answers: list[Used]) -> Json:
    """Return what a shutdown records of one model."""
    whole = Used()
    for used in answers:
        whole.add(used)
    usage = {**_usage(whole), "reasoningTokens": whole.output // 3}
    requests = {"count": len(answers), "cost": 0.99}
    return {"requests": requests, "usage": usage, "totalNanoAiu": 3_000_000_000}


def _usage(used: Used) -> Json:
    return {
        "inputTokens": used.input + used.cache_reads + used.cache_writes,
        "outputTokens": used.output,
        "cacheReadTokens": used.cache_reads,
        "cacheWriteTokens": used.cache_writes,
    }


def write_folder(folder: Path, names: Json) -> None:
    """Make a session's folder with the files that Copilot makes first."""
    (folder / "checkpoints").mkdir(parents=True)
    (folder / "checkpoints" / "index.md").write_text("# Checkpoints\n", encoding="utf-8")
    lines = (
        f"{name}: {value if name.endswith('_at') else json.dumps(value)}\n" for name, value in names.items()
    )
    (folder / "workspace.yaml").write_text("".join(lines), encoding="utf-8")


def write_copilot(root: Path, seed: int = 0, rounds: int = 1) -> list[Truth]:
    """Write a store of `rounds` sessions of every case, and return their true values."""
    inventor, truths = Inventor(seed, STORE), []
    for _ in range(rounds):
        for case in CASES:
            log = Log(inventor, case)
            log.tell()
            log.write(root)
            truths.append(log.truth())
    write_folder(root / "session-state" / inventor.uuid(), {"id": "x", "cwd": "/x"})
    unused = Log(inventor, "one shutdown")
    unused.add("session.start", {"sessionId": unused.id, "context": {"cwd": "/x"}})
    unused.write(root)
    (root / "settings.json").write_text('{"banner":"never"}', encoding="utf-8")
    return truths
