"""Detect truncated answers in gemini-cli's record of a session, since its replies do not report them.

After a tool call, gemini (0.61) treats a stream without a finish reason as a complete answer. Its record of
the session, `~/.gemini/tmp/PROJECT/chats/session-TIME-ID.jsonl`, has the tokens that the server reported for
each answer; the reply to the prompt counts only complete answers.
"""

import itertools
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import orjson

from sidecar.subagents.runners.acp.updates.usage import quota_of

_ID_CHARS = 8
_MAX_BYTES = 16 * 1024 * 1024
"""The size of the tail of a record that is read. Longer turns are not checked."""


def is_truncated(environ: Mapping[str, str], session_id: str, reply: Mapping[str, Any]) -> bool:
    """Return whether the last answer of a turn was truncated, given the reply to its prompt. Blocking.

    Also False if the session has no record, as with other versions of gemini.
    """
    home = environ.get("GEMINI_CLI_HOME") or environ.get("HOME") or str(Path.home())
    counted = quota_of(reply).get("inputTokens", 0)
    return counted > 0 and _last_is_uncounted(_answers(Path(home), session_id), counted)


def _last_is_uncounted(answers: list[Mapping[str, Any]], counted: int) -> bool:
    if not answers:
        return False
    *_, last = taken = [_input(each) for each in answers]
    known = sum(filter(None, taken))
    return last is None or (last > 0 and counted == known - last)


def _input(answer: Mapping[str, Any]) -> int | None:
    tokens = answer.get("tokens")
    count = tokens.get("input") if isinstance(tokens, Mapping) else None
    return count if isinstance(count, int) else None


def _answers(home: Path, session_id: str) -> list[Mapping[str, Any]]:
    """Return the model's answers in the last turn of a session; empty if the last answer is missing."""
    records = [each for path in _paths(home, session_id) for each in _records(path)]
    messages = [each for each in records if each.get("type") in ("user", "gemini")]
    turn = itertools.takewhile(lambda each: not _is_prompt(each), reversed(messages))
    by_id = {each.get("id"): each for each in list(turn)[::-1]}  # the last record of an ID counts
    newest = list(by_id.values())
    if not newest or newest[-1].get("type") != "gemini":
        return []
    # Gemini records the tool calls of an answer a second time, with their results and without tokens.
    return [each for each in newest if each.get("type") == "gemini" and not each.get("toolCalls")]


def _is_prompt(record: Mapping[str, Any]) -> bool:
    content = record.get("content")
    parts = content if isinstance(content, list) else []
    answers = any(isinstance(part, Mapping) and "functionResponse" in part for part in parts)
    return record.get("type") == "user" and not answers


def _paths(home: Path, session_id: str) -> Iterator[Path]:
    """Yield the path of a session's record, if it exists."""
    found = home.glob(f".gemini/tmp/*/chats/session-*-{_glob_safe(session_id[:_ID_CHARS])}.jsonl")
    yield from sorted(found, key=lambda path: path.stat().st_mtime)[-1:]


def _glob_safe(text: str) -> str:
    return "".join(char if char.isalnum() else "?" for char in text)


def _records(path: Path) -> Iterator[Mapping[str, Any]]:
    try:
        with path.open("rb") as file:
            size = file.seek(0, 2)
            file.seek(max(0, size - _MAX_BYTES))
            lines = file.read(_MAX_BYTES).split(b"\n")
    except OSError:
        return
    for line in lines[1:] if size > _MAX_BYTES else lines:
        try:
            record = orjson.loads(line)
        except orjson.JSONDecodeError:
            continue
        if isinstance(record, Mapping):
            yield record
