"""An agent on the protocol's SDK that does what its prompt says: one step a line, `STEP ARGUMENT...`.

say TEXT        think TEXT       plan +DONE;*NOW;STEP     usage IN OUT COST
write PATH TEXT (asks first)     run COMMAND (asks first)     both [STEP STEP] (at a time; by default runs)
wait            until it is cancelled      stay (forever, even when it is cancelled)
keep IN OUT     writes a prompt and an answer into the session's file of Claude Code below CLAUDE_CONFIG_DIR
emit NAME JSON  hands over an output       look N (N tool calls, one after the other, without asking)
fail TEXT       ends the turn with an error of the model
tools           says the names of the tools of its MCP servers
token           says the value of the first variable of its first MCP server
call TOOL JSON  calls one and says its result; `ID1`, `ID2` … stand for the ids in the results so far
then STEP       does the step when it is prompted again
heard           says its prompt
recall          says how many lines it ever got; with `--lasting`, when its sessions outlive it; with
                `--brief` these do not offer the choice of a model again; with `--late` they are
                repeated after the answer that they are open
"""

import asyncio
import json
import os
import re
import shlex
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

import acp
from acp import schema

sys.path.insert(0, str(Path(__file__).parents[2]))
from tests.agents.server_client import ServerClient

OPTIONS = [
    # "Always" first, as some agents have it: whoever chooses by position is caught.
    schema.PermissionOption(option_id="yes-always", name="Always allow", kind="allow_always"),
    schema.PermissionOption(option_id="yes", name="Allow", kind="allow_once"),
    schema.PermissionOption(option_id="no", name="Reject", kind="reject_once"),
]


_STATUSES: Any = {"+": "completed", "*": "in_progress"}
LASTING = "--lasting" in sys.argv
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def _model_choice() -> schema.SessionConfigOptionSelect:
    models = [schema.SessionConfigSelectOption(value=name, name=name) for name in ("small", "large")]
    return schema.SessionConfigOptionSelect(
        id="model", name="Model", category="model", type="select", current_value="small", options=models
    )


class ScriptedAgent:
    def __init__(self) -> None:
        self._client: Any = None
        self._cwd = Path()
        self._session = ""
        self._cancelled = asyncio.Event()
        self._usage: schema.Usage | None = None
        self._heard = ""
        self._later: list[str] = []
        self._servers: list[ServerClient] = []
        self._ids: list[str] = []
        self._repeating: asyncio.Task[None] | None = None

    def on_connect(self, conn: Any) -> None:
        self._client = conn

    async def initialize(self, protocol_version: int, **_: Any) -> schema.InitializeResponse:
        abilities = schema.AgentCapabilities(load_session=LASTING)
        return schema.InitializeResponse(protocol_version=1, agent_capabilities=abilities)

    async def new_session(self, cwd: str, mcp_servers: Any = (), **_: Any) -> schema.NewSessionResponse:
        self._servers = [ServerClient(server) for server in mcp_servers]
        self._cwd, self._session = Path(cwd), str(uuid4())
        return schema.NewSessionResponse(session_id=self._session, config_options=[_model_choice()])

    async def load_session(self, cwd: str, session_id: str, **_: Any) -> schema.LoadSessionResponse:
        self._cwd, self._session = Path(cwd), session_id
        if not self._memory.exists():
            raise acp.RequestError.invalid_params({"sessionId": "is not known"})
        repeating = self._repeat()
        if "--late" in sys.argv:
            self._repeating = asyncio.create_task(repeating)
        else:
            await repeating
        if "--brief" in sys.argv:
            return schema.LoadSessionResponse()
        return schema.LoadSessionResponse(config_options=[_model_choice()])

    async def _repeat(self) -> None:
        for line in self._memory.read_text().splitlines():
            await asyncio.sleep(0.05)
            await self._say(f"repeated: {line}")

    @property
    def _memory(self) -> Path:
        return self._cwd / f".session-{self._session}"

    async def set_config_option(self, config_id: str, session_id: str, value: Any, **_: Any) -> Any:
        await self._say(f"model {value}\n")
        return schema.SetSessionConfigOptionResponse(config_options=[])

    async def cancel(self, session_id: str, **_: Any) -> None:
        self._cancelled.set()

    async def prompt(self, prompt: list[Any], session_id: str, **_: Any) -> schema.PromptResponse:
        self._cancelled.clear()
        if LASTING:
            with self._memory.open("a") as memory:
                memory.write("".join(block.text for block in prompt) + "\n")
        later, self._later = self._later, []
        self._heard = "".join(block.text for block in prompt)
        for line in [*later, *"".join(block.text for block in prompt).splitlines()]:
            if line.startswith("System Note"):
                await self._say("noted\n")
                break
            step, *arguments = shlex.split(line) or [""]
            await getattr(self, f"do_{step}", self._unknown)(*arguments)
            if self._cancelled.is_set():
                return schema.PromptResponse(stop_reason="cancelled")
        return schema.PromptResponse(stop_reason="end_turn", usage=self._usage)

    async def _unknown(self, *_: str) -> None:
        """Skip a line that is not a step, such as one of a system prompt."""

    async def do_heard(self) -> None:
        await self._say(self._heard)

    async def do_say(self, text: str) -> None:
        await self._say(text)

    async def do_keep(self, tokens_in: str, tokens_out: str) -> None:
        usage = {"input_tokens": int(tokens_in), "output_tokens": int(tokens_out)}
        answer = {"id": uuid4().hex, "role": "assistant", "model": "small", "stop_reason": "end_turn"}
        text = [{"type": "text", "text": "kept"}]
        messages: Any = {
            "user": {"role": "user", "content": "keep this"},
            "assistant": {**answer, "content": text, "usage": usage},
        }
        file = Path(os.environ["CLAUDE_CONFIG_DIR"], "projects", "p", f"{self._session}.jsonl")
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("a") as opened:
            for kind, message in messages.items():
                record = {"type": kind, "uuid": str(uuid4()), "sessionId": self._session, "message": message}
                moment = datetime.now(UTC).isoformat()
                opened.write(json.dumps({**record, "cwd": str(self._cwd), "timestamp": moment}) + "\n")

    async def do_emit(self, name: str, value: str) -> None:
        await self._say(f'\n```outputs\n{{"{name}": {value}}}\n```\n')

    async def do_recall(self) -> None:
        await self._say(f"remembered: {len(self._memory.read_text().splitlines())}")

    async def do_then(self, step: str) -> None:
        self._later.append(step)

    async def do_stay(self) -> None:
        await asyncio.Event().wait()

    async def do_tools(self) -> None:
        names = [name for server in self._servers for name in await server.tools()]
        await self._say(f"tools: {' '.join(names) or 'none'}\n")

    async def do_token(self) -> None:
        await self._say(f"token: {self._servers[0].env[0].value}\n")

    async def do_call(self, tool: str, arguments: str = "{}") -> None:
        for number, task_id in enumerate(self._ids, 1):
            arguments = arguments.replace(f"ID{number}", task_id)
        result = await self._servers[0].call(tool, json.loads(arguments))
        self._ids += [each for each in _UUID.findall(result) if each not in self._ids]
        await self._say(f"{result}\n")

    async def do_fail(self, text: str) -> None:
        raise acp.RequestError(-32603, text)

    async def do_look(self, times: str) -> None:
        for number in range(int(times)):
            call = acp.start_tool_call(uuid4().hex, f"Look {number}", kind="read", status="in_progress")
            await self._client.session_update(self._session, call)
            await self._end(call, "completed", "")
            await asyncio.sleep(0)
            if self._cancelled.is_set():
                return

    async def do_think(self, text: str) -> None:
        await self._client.session_update(self._session, acp.update_agent_thought(acp.text_block(text)))

    async def do_plan(self, steps: str) -> None:
        entries = [
            schema.PlanEntry(
                content=step.lstrip("+*"), priority="medium", status=_STATUSES.get(step[:1], "pending")
            )
            for step in steps.split(";")
        ]
        await self._client.session_update(self._session, acp.update_plan(entries))

    async def do_usage(self, tokens_in: str, tokens_out: str, cost: str) -> None:
        self._usage = schema.Usage(
            input_tokens=int(tokens_in),
            output_tokens=int(tokens_out),
            total_tokens=int(tokens_in) + int(tokens_out),
        )
        update = schema.UsageUpdate(
            session_update="usage_update",
            used=500,
            size=1000,
            cost=schema.Cost(amount=float(cost), currency="USD"),
        )
        await self._client.session_update(self._session, update)

    async def do_write(self, path: str, text: str) -> None:
        target = str(self._cwd / path)
        before = Path(target).read_text() if Path(target).exists() else None
        diff = acp.tool_diff_content(target, text, before)
        call = acp.start_tool_call(
            uuid4().hex,
            f"Write {path}",
            kind="edit",
            status="pending",
            content=[diff],
            locations=[schema.ToolCallLocation(path=target)],
        )
        if await self._allowed(call):
            Path(target).write_text(text)
            await self._end(call, "completed", text)

    async def do_run(self, command: str) -> None:
        call = acp.start_tool_call(
            uuid4().hex, command, kind="execute", status="pending", raw_input={"command": command}
        )
        if await self._allowed(call):
            shell = await asyncio.create_subprocess_shell(
                command, stdout=asyncio.subprocess.PIPE, start_new_session=True
            )
            output, _ = await shell.communicate()
            await self._end(call, "completed", output.decode())

    async def do_both(self, *steps: str) -> None:
        both = [shlex.split(step) for step in steps or ("run 'echo one'", "run 'echo two'")]
        await asyncio.gather(*(getattr(self, f"do_{name}")(*arguments) for name, *arguments in both))

    async def do_wait(self) -> None:
        await self._cancelled.wait()

    async def _allowed(self, call: schema.ToolCallStart) -> bool:
        await self._client.session_update(self._session, call)
        asked = schema.ToolCallUpdate(tool_call_id=call.tool_call_id, title=call.title)
        answer = await self._client.request_permission(self._session, asked, OPTIONS)
        if answer.outcome.outcome == "selected" and answer.outcome.option_id != "no":
            return True
        await self._end(call, "failed", "")
        await self._say(f"{answer.outcome.outcome}: {(answer.field_meta or {}).get('reason')}")
        return False

    async def _end(self, call: schema.ToolCallStart, status: Any, text: str) -> None:
        content = [acp.tool_content(acp.text_block(text))] if text else None
        end = acp.update_tool_call(call.tool_call_id, status=status, content=content)
        await self._client.session_update(self._session, end)

    async def _say(self, text: str) -> None:
        await self._client.session_update(self._session, acp.update_agent_message(acp.text_block(text)))


if __name__ == "__main__":
    agent: Any = ScriptedAgent()
    sys.exit(asyncio.run(acp.run_agent(agent)))
