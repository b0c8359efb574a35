"""What gemini-cli records of a turn, read where its protocol does not tell that the model's stream broke off.

After a tool call gemini (0.61) takes a stream without a finish reason for a whole answer. Its record of the
session, `~/.gemini/tmp/PROJECT/chats/session-TIME-ID.jsonl`, has the tokens of each answer as far as the
server told them; the reply to the prompt has only those of answers that were finished.
"""

import itertools
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import orjson

from sidecar.subagents.runners.acp.updates.usage import quota_of

_ID_CHARS = 8
_MAX_BYTES = 16 * 1024 * 1024
"""How much of the end of a record is read; a turn that is longer is not judged."""


def broke_off(environ: Mapping[str, str], session_id: str, reply: Mapping[str, Any]) -> bool:
    """Tell whether the last answer of a turn was cut, given the reply to its prompt. Blocking.

    False as well where there is no record of the session, as with another version of gemini.
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
    """Return the model's answers in the newest turn of a session; none if its last words are not known."""
    records = [each for path in _paths(home, session_id) for each in _records(path)]
    said = [each for each in records if each.get("type") in ("user", "gemini")]
    turn = itertools.takewhile(lambda each: not _is_prompt(each), reversed(said))
    by_id = {each.get("id"): each for each in list(turn)[::-1]}  # the last of those with one id counts
    newest = list(by_id.values())
    if not newest or newest[-1].get("type") != "gemini":
        return []
    # The calls of an answer are recorded once more, with their results and without tokens.
    return [each for each in newest if each.get("type") == "gemini" and not each.get("toolCalls")]


def _is_prompt(record: Mapping[str, Any]) -> bool:
    content = record.get("content")
    parts = content if isinstance(content, list) else []
    answers = any(isinstance(part, Mapping) and "functionResponse" in part for part in parts)
    return record.get("type") == "user" and not answers


def _paths(home: Path, session_id: str) -> Iterator[Path]:
    """Yield the record of a session, if there is one."""
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
