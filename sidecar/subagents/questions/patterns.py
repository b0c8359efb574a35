"""Match texts with the regular expressions of agents, in a process that is killed after two seconds.

An expression of an agent can take forever or all memory, and Python cannot interrupt one in its own process.
"""

import asyncio
import logging
import sys
from collections.abc import Mapping
from typing import Any

import orjson

from sidecar.api.errors import InvalidParams
from sidecar.api.runs.questions import QuestionField, QuestionSchema
from sidecar.subagents.questions.texts import line

logger = logging.getLogger(__name__)

_SECONDS = 2.0
MEMORY_BYTES = 256 * 1024 * 1024
"""How much memory the process may use, where the system can limit it. It needs about 30 MB itself."""
_PROGRAM = f"""
import json, re, sys
try:
    import resource
    resource.setrlimit(resource.RLIMIT_AS, ({MEMORY_BYTES}, {MEMORY_BYTES}))
except (ImportError, OSError, ValueError):
    pass
for name, pattern, text in json.load(sys.stdin):
    try:
        fits = re.search(pattern, text) is not None
    except Exception:
        fits = True
    if not fits:
        print(json.dumps(name))
        break
"""
"""An expression fits everything if Python cannot read it, such as one in another dialect, or lacks memory."""


async def check_patterns(form: QuestionSchema, content: Mapping[str, Any]) -> None:
    """Raise InvalidParams, which names the member, if a text does not match the pattern of its field.

    An expression that takes too long counts as matched: the agent checks its answer anyway.
    """
    given = [
        [name, field.pattern, content[name]]
        for name, field in form.properties.items()
        if field.pattern is not None and isinstance(content.get(name), str)
    ]
    if not given:
        return
    try:
        async with asyncio.timeout(_SECONDS):
            found = await _run(orjson.dumps(given))
    except TimeoutError:
        logger.info("the pattern of a question took longer than %s s, so it is not checked", _SECONDS)
        return
    if found.strip():
        name = orjson.loads(found)
        raise InvalidParams(f"content.{name}: must match {line(form.properties[name].pattern)}")


async def pattern_problem(field: QuestionField, value: Any) -> str | None:
    """Return what is wrong if a value does not match the pattern of its field, or None."""
    form = QuestionSchema(properties={"value": field}, required=[])
    try:
        await check_patterns(form, {"value": value})
    except InvalidParams as error:
        return str(error).removeprefix("content.value: ")
    return None


async def _run(given: bytes) -> bytes:
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *("-I", "-S", "-c", _PROGRAM),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        env={},
    )
    try:
        found, _ = await process.communicate(given)
        return found
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
