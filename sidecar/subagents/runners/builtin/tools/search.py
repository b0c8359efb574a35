"""Find files, and lines in them, in a separate process that can be killed.

A regular expression may take forever and cannot be interrupted within a process. The model writes the
expression, and the rules in a repository's `.gitignore` become expressions too.

Standard input is one JSON object, `{folder, files, expression, ignoreCase}`. Standard output is the matching
lines, or the files if there is no expression.
"""

import asyncio
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from sidecar.subagents.runners.builtin.tools.files import MAX_BYTES, open_file
from sidecar.subagents.runners.builtin.tools.listing import TooMany, files_below, fits, matching_files
from sidecar.subagents.runners.builtin.tools.workspace import ToolError
from sidecar.subagents.runners.process.module_command import module_command
from sidecar.subagents.runners.process.parent_death import die_with_parent

SECONDS = 20.0
MAX_MATCHES = 200
MAX_LINE_CHARS = 300


async def list_files(folder: Path, files: str) -> str:
    """Return the files below a folder whose path fits a pattern, one per line.

    Cancelling the call ends the search. Raises ToolError if `folder` is not a folder or on a timeout.
    """
    return await _find(folder, files, None, ignore_case=False) or "[no file fits]"


async def search(folder: Path, expression: str, files: str, *, ignore_case: bool) -> str:
    """Return matching lines as `path:line: text`. Cancelling the call ends the search.

    Raises ToolError if `folder` is not a folder, if `expression` is invalid, and on a timeout.
    """
    try:
        re.compile(expression)
    except (re.error, RecursionError, OverflowError) as error:
        raise ToolError(f"not a regular expression: {error}") from error
    return await _find(folder, files, expression, ignore_case=ignore_case) or "[no match]"


async def _find(folder: Path, files: str, expression: str | None, *, ignore_case: bool) -> str:
    if not await asyncio.to_thread(folder.is_dir):
        raise ToolError(f"{folder.name!r} is not a folder")
    request = {"folder": str(folder), "files": files, "expression": expression, "ignoreCase": ignore_case}
    process = await asyncio.create_subprocess_exec(
        *module_command(__name__),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        preexec_fn=die_with_parent(),
    )
    try:
        async with asyncio.timeout(SECONDS):
            output, _ = await process.communicate(json.dumps(request).encode())
    except TimeoutError as error:
        raise ToolError(f"the search took longer than {SECONDS:.0f} s; narrow or simplify it") from error
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    if process.returncode:
        raise ToolError(f"the search ended with status {process.returncode}")
    return output.decode("utf-8", "replace").rstrip("\n")


def matches(folder: Path, expression: str, files: str, *, ignore_case: bool) -> Iterator[str]:
    """Yield matching lines of text files, cut to a limit. Raises TooMany at the limit of matches."""
    wanted = re.compile(expression, re.IGNORECASE if ignore_case else 0)
    found = 0
    for name in files_below(folder):
        if not fits(name, files):
            continue
        for number, line in enumerate(_lines(folder / name), 1):
            if wanted.search(line):
                if found == MAX_MATCHES:
                    raise TooMany(f"only the first {MAX_MATCHES} matches are shown; narrow the search")
                found += 1
                yield f"{name}:{number}: {line[:MAX_LINE_CHARS].strip()}"


def _lines(path: Path) -> list[str]:
    try:
        with open_file(path) as file:
            data = file.read(MAX_BYTES + 1)
    except ToolError:  # the file is gone, or may not be read
        return []
    return [] if b"\0" in data or len(data) > MAX_BYTES else data.decode("utf-8", "replace").splitlines()


def main() -> None:
    """Run the search that standard input describes."""
    request = json.load(sys.stdin)
    folder, files, expression = Path(request["folder"]), request["files"], request["expression"]
    if expression is None:
        found = matching_files(folder, files)
    else:
        found = matches(folder, expression, files, ignore_case=request["ignoreCase"])
    try:
        for line in found:
            sys.stdout.buffer.write(f"{line}\n".encode("utf-8", "replace"))
    except TooMany as error:
        sys.stdout.buffer.write(f"[there may be more: {error}]\n".encode())


if __name__ == "__main__":
    main()
