"""One generated task: writes its messages turn by turn, and keeps track of its true values."""

import json
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any
from uuid import UUID

from tests.generator.eras import Era
from tests.generator.words import (
    CLINE_MODES,
    MODELS,
    MODES,
    PROMPTS,
    REPLIES,
    WORKSPACES,
    ZONES,
    file_content,
)

NOW_MS = 1_776_254_400_000
"""2026-04-15T12:00:00Z: ages in the truth are relative to it."""
ENDINGS = (
    "completed",
    "failed",
    "mistakes",
    "cancelled",
    "streaming",
    "waiting",
    "prompt",
    "answered",
    "delegated",
    "retried",
    "retrying",
    "paced",
    "cancelled_tool",
    "broken",
    "broken_tool",
)
UNDER_WAY = {"streaming": "interrupted", "paced": "interrupted", "retrying": "failed"}
"""Endings that count as streaming for a day unless the task is opened again, and their status after that."""
_HOUR = 3_600_000
_AGES = (2 * _HOUR, 60 * _HOUR, 400 * _HOUR)
Message = dict[str, Any]


class Story:
    """Writes one task of an era; `ending` is one of ENDINGS, `padding` the characters of each file read."""

    def __init__(
        self, era: Era, random: Random, ending: str, padding: int = 200, turns: int | None = None
    ) -> None:
        self.era, self.random, self.ending, self.padding = era, random, ending, padding
        self.ui: list[Message] = []
        self.api: list[Message] = []
        self.age = random.choice(_AGES)
        self.start = self.time = NOW_MS - self.age - random.randrange(_HOUR)
        self.id = self._make_id()
        self.parent: str | None = None
        self.child: str | None = None
        self.prompt = random.choice(PROMPTS)
        self.mode = random.choice(CLINE_MODES if era.product == "cline" else MODES)
        self.model, self.workspace = random.choice(MODELS), random.choice(WORKSPACES)
        self.usage = {"tokensIn": 0, "tokensOut": 0, "cacheWrites": 0, "cacheReads": 0, "cost": 0.0}
        self.extra_cost = 0.0
        self.stated: int | None = None
        self.opened = ending == "retried" or random.random() < 0.3
        self._tell(turns if turns is not None else random.randint(1, 4))

    def _tell(self, turns: int) -> None:
        self._say(self.era.prompt_say, self.prompt, ts=self.start)
        if self.ending == "prompt":
            return
        self._ask_model(f"<{self.era.wrapper}>\n{self.prompt}\n</{self.era.wrapper}>", first=True)
        for _ in range(turns):
            self._work()
        getattr(self, f"_end_{self.ending}")()
        if self.opened:
            kind = "resume_completed_task" if self.ending in ("completed", "answered") else "resume_task"
            self.ui.append({"ts": self.time + 90 * 60_000, "type": "ask", "ask": kind})

    def _work(self) -> None:
        """A turn: the model reads a file and gets its content."""
        content = file_content(self.random, self.padding)
        reply = self.random.choice(REPLIES)
        self._say("text", reply, partial=False)
        self._ask("tool", stringify({"tool": "readFile", "path": "src/a.py"}))
        self._noise()
        self._answer(reply, "read_file", {"path": "src/a.py"})
        self._ask_model(content, result=True)

    def _noise(self) -> None:
        noise = "checkpoint_created" if self.era.product == "cline" else "checkpoint_saved"
        if self.random.random() < 0.4:
            self._say(noise, "0a" * 20)
        if self.random.random() < 0.3:
            self._say("error", "The tool failed with an exception.")
        if self.random.random() < 0.2 and self.era.product != "cline":
            self._say(
                "condense_context",
                None,
                contextCondense={"cost": 0.25, "summary": "short", "prevContextTokens": 9},
            )
            self.extra_cost += 0.25
        if self.random.random() < 0.2 and self.era.product == "cline":
            self._count(self._say("deleted_api_reqs", stringify(self._figures())))

    def _ask_model(self, text: str, first: bool = False, result: bool = False) -> None:
        """The user's side of a request, in both files."""
        self.time += self.random.randint(500, 5_000)
        environment = self._environment(first)
        blocks: list[Message] = [{"type": "text", "text": text}]
        if result and self.era.native:
            blocks = [{"type": "tool_result", "tool_use_id": "toolu_1", "content": text}]
        self._api({"role": "user", "content": [*blocks, {"type": "text", "text": environment}]})
        record: Message = {"request": f"{text}\n\n{environment}"} if self.era.keeps_request else {}
        record |= dict(self.era.usage_extra) | self._figures()
        self._count(self._say("api_req_started", stringify(record)))

    def _answer(self, text: str, tool: str, arguments: Message) -> None:
        blocks: list[Message] = [{"type": "text", "text": text}]
        if self.era.native:
            blocks.append({"type": "tool_use", "id": "toolu_1", "name": tool, "input": arguments})
        else:
            blocks[0]["text"] += f"\n<{tool}>\n{stringify(arguments)}\n</{tool}>"
        message: Message = {"role": "assistant", "content": blocks}
        if self.era.model_info:
            message["modelInfo"] = {"modelId": self.model, "mode": self.mode[0]}
        self._api(message)

    def _end_completed(self) -> None:
        self._answer("Done.", "attempt_completion", {"result": "Done."})
        self._say("completion_result", "Done.", partial=False)
        self._ask("completion_result", "")

    def _end_answered(self) -> None:
        self._answer("Done.", "attempt_completion", {"result": "Done."})
        self._say("completion_result", "Done.", partial=False)
        self._say("task_progress" if self.era.product == "cline" else "checkpoint_saved", "- [x] all")

    def _end_failed(self) -> None:
        self._ask("api_req_failed", "503 Service Unavailable")

    def _end_mistakes(self) -> None:
        self._ask("mistake_limit_reached", "The model uses no tool.")

    def _end_waiting(self) -> None:
        self._answer("Allow this?", "execute_command", {"command": "rm -rf build"})
        self._ask("command", "rm -rf build")

    def _end_delegated(self) -> None:
        self._ask("tool", stringify({"tool": "newTask", "mode": "code", "content": "Do a part"}))

    def _end_cancelled(self) -> None:
        self._mark_request({"cancelReason": "user_cancelled"})
        self._say("text", "I will now upd", partial=False)

    def _end_streaming(self) -> None:
        self._say("api_req_started", stringify({"apiProtocol": "openai"}))
        self._say("text", "The problem is in the", partial=True)

    def _end_retried(self) -> None:
        self._end_retrying()

    def _end_retrying(self) -> None:
        self._say("api_req_started", stringify(dict(self.era.usage_extra)))
        if self.era.product == "cline":
            self._say("error_retry", stringify({"attempt": 1, "maxAttempts": 3, "delaySeconds": 2}))
        else:
            text = "429 Too Many Requests\n\nRetry attempt 2\nRetrying in 7 seconds..."
            self._say("api_req_retry_delayed", text, partial=self.random.random() < 0.5)

    def _end_paced(self) -> None:
        self._say("api_req_started", stringify(dict(self.era.usage_extra)))
        self._say("api_req_retry_delayed", "Rate limiting for 4 seconds...", partial=True)

    def _end_cancelled_tool(self) -> None:
        """The user stops the model while it writes a file."""
        self._mark_request({"cancelReason": "user_cancelled"})
        self._say("text", "I will now update it.", partial=False)
        call = stringify({"tool": "editedExistingFile", "path": "src/a.py"})
        if self.random.random() < 0.5:
            self._say("tool", call, partial=True)
        else:
            self._ask("tool", call)

    def _end_broken(self) -> None:
        """A request fails, the user retries it, and there is no answer."""
        self._mark_request({"cancelReason": "streaming_failed", "streamingFailedMessage": "503"})
        self._ask("api_req_failed", "503 Service Unavailable")
        self._say("api_req_retried", None)

    def _end_broken_tool(self) -> None:
        """The connection breaks while the model writes a file."""
        self._mark_request({"cancelReason": "streaming_failed", "streamingFailedMessage": "terminated"})
        self._say("text", "I will now update it.", partial=False)
        self._ask("tool", stringify({"tool": "editedExistingFile", "path": "src/a.py"}))

    def _mark_request(self, more: Message) -> None:
        request = next(m for m in reversed(self.ui) if m.get("say") == "api_req_started")
        request["text"] = stringify(json.loads(request["text"]) | more)

    def _figures(self) -> Message:
        reads = self.random.choice((0, 9_000))
        cost = self.random.choice((1e-07, 0.0, 0.0123, 0.5))
        return {
            "tokensIn": self.random.randint(5, 20_000),
            "tokensOut": self.random.randint(1, 900),
            "cacheWrites": self.random.choice((0, 700)),
            "cacheReads": reads,
            "cost": cost,
        }

    def _count(self, message: Message) -> None:
        record = json.loads(message["text"])
        for name in self.usage:
            self.usage[name] += record[name]

    def _environment(self, first: bool) -> str:
        lines = ["<environment_details>", "# VSCode Visible Files", "src/a.py", "", *self._clock()]
        if self.era.product == "cline":
            lines += [*self._listing(first), "# Current Mode", f"{self.mode[0].upper()} MODE"]
        else:
            lines += ["# Current Mode", f"<slug>{self.mode[0]}</slug>", f"<name>{self.mode[1]}</name>"]
            lines += [f"<model>{self.model}</model>", "", *self._listing(first)]
        return "\n".join([*lines, "</environment_details>"])

    def _clock(self) -> list[str]:
        """The time as the products state it, to the second: newer ones in UTC, others in the local zone."""
        self.stated = self.time // 1000 * 1000
        moment = datetime.fromtimestamp(self.stated / 1000, UTC)
        if self.era.iso_time:
            reported = f"Current time in ISO 8601 UTC format: {moment:%Y-%m-%dT%H:%M:%S}.000Z"
            return ["# Current Time", reported, "User time zone: Asia/Kolkata, UTC+5:30", ""]
        name, offset, hours = self.random.choice(ZONES)
        local = moment + timedelta(hours=hours)
        date = f"{local.month}/{local.day}/{local.year}"
        clock = f"{local.hour % 12 or 12}:{local:%M:%S} {local:%p}"
        return ["# Current Time", f"{date}, {clock} ({name}, UTC{offset})", ""]

    def _listing(self, first: bool) -> list[str]:
        return [f"# {self.era.workspace_heading} ({self.workspace}) Files", "src/a.py", ""] if first else []

    def _say(self, kind: str, text: str | None, ts: int | None = None, **more: Any) -> Message:
        return self._ui(
            {"type": "say", "say": kind} | ({"text": text} if text is not None else {}) | more, ts
        )

    def _ask(self, kind: str, text: str) -> Message:
        return self._ui({"type": "ask", "ask": kind, "text": text, "partial": False}, None)

    def _ui(self, message: Message, ts: int | None) -> Message:
        if ts is None:
            self.time += self.random.randint(0, 9_000)
            ts = self.time
        message = {"ts": ts, **message}
        if self.era.product == "cline":
            message["conversationHistoryIndex"] = len(self.api) - 1
        if self.era.model_info:
            message["modelInfo"] = {"providerId": "p", "modelId": self.model, "mode": self.mode[0]}
        self.ui.append(message)
        return message

    def _api(self, message: Message) -> None:
        if self.era.api_ts:
            message["ts"] = self.time
        self.api.append(message)

    def _make_id(self) -> str:
        if self.era.ids == "epoch":
            return str(self.start)
        number = self.random.getrandbits(128)
        if self.era.ids == "uuid4":
            return str(UUID(int=number, version=4))
        low = number & ((1 << 62) - 1) | (0b10 << 62)
        return str(UUID(int=(self.start << 80) | (7 << 76) | ((number >> 64 & 0xFFF) << 64) | low))


def stringify(value: Message) -> str:
    """Print JSON as the products do, which are written in JavaScript."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
