"""A subagent that has much to say: its prompt ends with `messages`, `message`, `calls` or `endless`.

It prints at full speed and ends, but for `endless`, which goes on until it is killed. The last line of
all that it says is LAST.
"""

import itertools
import json
import sys
from collections.abc import Iterable, Iterator
from typing import Any

LAST = "That was the last line."
MEGABYTES = 20
CALLS = 4_000
_WORDS = "It reads **lines**, `names` and [links](https://example.com/a) of the *whole* tree. "


def main(kind: str) -> None:
    """Print the events of a kind of flood."""
    for event in _events(kind):
        sys.stdout.write(json.dumps(event) + "\n")
    sys.stdout.flush()


def _events(kind: str) -> Iterable[dict[str, Any]]:
    match kind:
        case "messages":
            return itertools.chain(_messages(range(MEGABYTES * 1_000)), [_message(LAST)])
        case "message":
            return [_message(_WORDS * (MEGABYTES * 1_000_000 // len(_WORDS)) + LAST)]
        case "calls":
            return itertools.chain(_calls(), [_message(LAST)])
        case "endless":
            return _messages(itertools.count())
        case _:
            raise SystemExit(f"{kind}: no such flood")


def _messages(numbers: Iterable[int]) -> Iterator[dict[str, Any]]:
    for number in numbers:
        yield _message(f"\n\n### Part {number}\n\n" + _WORDS * 12)


def _message(text: str) -> dict[str, Any]:
    return {"type": "message", "text": text}


def _calls() -> Iterator[dict[str, Any]]:
    for number in range(CALLS):
        call = {"type": "tool", "toolCallId": str(number), "name": "read"}
        yield {**call, "status": "started", "input": {"path": f"src/file{number}.py"}}
        yield {**call, "status": "completed", "output": _WORDS * 30}


main(sys.stdin.read().split()[-1])
