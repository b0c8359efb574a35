"""The tools of the agent. Their docstrings are the descriptions that the model gets."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any, Literal

import acp
from acp import schema
from pydantic import BaseModel
from pydantic_ai import Tool
from pydantic_ai.exceptions import ToolFailed

from sidecar.subagents.runners.builtin.reporter import Reporter, ToolCall, one_line
from sidecar.subagents.runners.builtin.tools import files, search, shell
from sidecar.subagents.runners.builtin.tools.workspace import ToolError, Workspace


class Step(BaseModel):
    """One step of a plan."""

    text: str
    status: Literal["pending", "in_progress", "completed"]


class Toolset:
    """The tools of one session. Tools that change something ask for permission first."""

    def __init__(self, workspace: Workspace, reporter: Reporter) -> None:
        self._workspace = workspace
        self._reporter = reporter

    def tools(self) -> Sequence[Tool[None]]:
        """Return the declarations. A tool that changes files or starts programs runs alone."""
        alone = (self.edit_file, self.write_file, self.list_files, self.search_files, self.run_command)
        together = (self.read_file, self.update_plan)
        return [Tool(each, sequential=True) for each in alone] + [Tool(each) for each in together]

    async def read_file(self, path: str, first_line: int = 1, line_count: int = files.MAX_LINES) -> str:
        """Read a text file. Each line follows its number and a tab, which are not part of the file.

        Args:
            path: The file, relative to the workspace.
            first_line: The first line to read, from 1.
            line_count: How many lines to read, 2000 at most.
        """
        async with self._call(f"Read {path}", "read", {"path": path}, path):
            target = self._workspace.resolve(path)
            return await asyncio.to_thread(files.read_lines, target, first_line, line_count)

    async def list_files(self, pattern: str = "**", folder: str = ".") -> str:
        """List files by name, without files that .gitignore ignores, packages and caches.

        A folder that .gitignore ignores is listed if it is named as `folder`.

        Args:
            pattern: For example `*.py` (anywhere below the folder) or `src/**/test_*.ts`.
            folder: The folder to list, relative to the workspace.
        """
        async with self._call(f"List {folder} {pattern}", "search", {"folder": folder, "pattern": pattern}):
            return await search.list_files(self._workspace.resolve(folder), pattern)

    async def search_files(
        self, expression: str, folder: str = ".", files: str = "**", ignore_case: bool = False
    ) -> str:
        """Search the lines of text files. Returns `path:line: text`, with paths relative to `folder`.

        Files that .gitignore ignores are not searched, unless they are in a folder named as `folder`;
        read_file reads such files too.

        Args:
            expression: A Python regular expression.
            folder: The folder to search, relative to the workspace.
            files: A pattern of file names as in list_files, such as `*.py`.
            ignore_case: Whether to ignore upper and lower case.
        """
        given = {"expression": expression, "folder": folder, "files": files}
        async with self._call(f"Search {expression}", "search", given) as call:
            target = self._workspace.resolve(folder)
            call.output = await search.search(target, expression, files, ignore_case=ignore_case)
            return call.output

    async def edit_file(self, path: str, old_text: str, new_text: str, everywhere: bool = False) -> str:
        """Replace a text in a file. Read the file first: old_text must match exactly and occur once.

        Args:
            path: The file, relative to the workspace.
            old_text: The text to replace, with its white space, without line numbers.
            new_text: The replacement.
            everywhere: Replace all occurrences.
        """
        async with self._call(f"Edit {path}", "edit", {"path": path}, path) as call:
            target = self._workspace.resolve(path)
            old = files.read_text(target)
            new = files.replaced(old, old_text, new_text, everywhere=everywhere)
            await call.diff(target, old, new)
            await call.ask()
            target = self._unchanged(path, old)
            files.write_text(target, new)
            return f"{path} is changed"

    async def write_file(self, path: str, content: str) -> str:
        """Write a whole file, and replace it if it exists. To change a part of a file use edit_file.

        Args:
            path: The file, relative to the workspace; missing folders are created.
            content: The complete text.
        """
        async with self._call(f"Write {path}", "edit", {"path": path}, path) as call:
            target = self._workspace.resolve(path)
            old = files.read_text(target) if target.exists() else None
            await call.diff(target, old, content)
            await call.ask()
            files.write_text(self._unchanged(path, old), content)
            return f"{path} is written"

    async def run_command(self, command: str, seconds: int = shell.DEFAULT_SECONDS) -> str:
        """Run a command line in the workspace folder and return its output.

        The command has no input. All programs that it started end with it, even in the background.

        Args:
            command: A command line for the system's shell.
            seconds: The time limit, 900 at most.
        """
        async with self._call(command, "execute", {"command": command}) as call:
            if not 1 <= seconds <= shell.MAX_SECONDS:
                raise ToolError(f"seconds must be between 1 and {shell.MAX_SECONDS}")
            await call.ask()
            outcome = await shell.run_command(command, self._workspace.root, seconds)
            if outcome.status is None:
                raise ToolError(f"killed after {seconds} s; its output was:\n{outcome.output}")
            call.output = f"{outcome.output}\n[exit status {outcome.status}]".lstrip("\n")
            return call.output

    async def update_plan(self, steps: list[Step]) -> str:
        """Show the user the plan of a longer task; call it again when a step is done.

        Args:
            steps: All steps, in order.
        """
        entries = [acp.plan_entry(step.text, status=step.status) for step in steps]
        async with self._call("Update the plan", "think", {"steps": len(steps)}):
            await self._reporter.plan(entries)
        return "the plan is shown"

    def _unchanged(self, path: str, old: str | None) -> Path:
        """Resolve the path again after a question. Raises ToolError if the file has changed since."""
        target = self._workspace.resolve(path)
        now = files.read_text(target) if target.exists() else None
        if now != old:
            raise ToolError(f"{path} has changed in the meantime; read it again")
        return target

    @contextlib.asynccontextmanager
    async def _call(
        self, title: str, kind: schema.ToolKind, given: dict[str, Any], path: str | None = None
    ) -> AsyncIterator[ToolCall]:
        """Show a call, and return a ToolError to the model as a failed result, so that it can continue."""
        location = None if path is None else self._workspace.root / path
        try:
            async with self._reporter.tool(one_line(title), kind, given, location) as call:
                yield call
        except ToolError as error:
            raise ToolFailed(str(error)) from error
