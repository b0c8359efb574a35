"""Remove the secret values of a run's equipment from what is recorded. No I/O."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

_REMOVED: Final = "[secret]"
_KEPT: Final = frozenset(
    (
        *("type", "stream", "role", "status", "state", "kind", "action", "by", "messageId", "toolCallId"),
        *("request_id", "option_id", "tool_call_id"),
        *("requestId", "optionId", "const", "path", "paths", "cwd", "locations"),
    )
)
"""Members with words of the protocol, IDs, values to answer with, and files that a client opens."""
_PIECES: Final = ("log", "message", "thought")
"""Events whose texts continue each other."""


class SecretValues:
    """Values that no record may contain, also as an agent prints them in JSON."""

    def __init__(self, values: Iterable[str] = ()) -> None:
        self._forms = sorted({form for value in values for form in _forms(value)}, key=len, reverse=True)
        self._pattern = re.compile("|".join(map(re.escape, self._forms)))

    def __bool__(self) -> bool:
        return bool(self._forms)

    def without(self, text: str) -> str:
        """Return a text in which each value is replaced."""
        return self._pattern.sub(_REMOVED, text) if self._forms else text

    def removed_from(self, value: Any) -> Any:
        """Return plain data in which each value is replaced, wherever a text has one."""
        if not self._forms:
            return value
        if isinstance(value, str):
            return self.without(value)
        if isinstance(value, Mapping):
            return {name: each if name in _KEPT else self.removed_from(each) for name, each in value.items()}
        return [self.removed_from(each) for each in value] if isinstance(value, list | tuple) else value

    def safe_end(self, text: str) -> int:
        """Return the offset up to which a text is complete: the rest may be the beginning of a value."""
        ends = (self._beginning_at_end(text, form) for form in self._forms)
        end = len(text) - max(ends, default=0)
        found = (match.end() for match in self._pattern.finditer(text) if match.start() < end < match.end())
        return next(found, end)

    def _beginning_at_end(self, text: str, form: str) -> int:
        start = text.find(form[0], max(0, len(text) - len(form) + 1))
        while start != -1 and not form.startswith(text[start:]):
            start = text.find(form[0], start + 1)
        return 0 if start == -1 else len(text) - start


class SecretFilter:
    """Pass the events of one run on without secret values, even if two events contain one together.

    It keeps the end of a text that may be the beginning of a value until the text continues or ends.
    """

    def __init__(self, secrets: SecretValues) -> None:
        self._secrets = secrets
        self._held: dict[tuple[Any, ...], dict[str, Any]] = {}

    def feed(self, event: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """Yield the events to record."""
        if not self._secrets:
            yield event
            return
        key = (event["type"], event.get("stream"), event.get("messageId"), event.get("role"))
        if event["type"] != "log":  # logs are streams of their own, which other events do not end
            yield from self._end([each for each in self._held if each != key and each[0] != "log"])
        if event["type"] in _PIECES:
            held = self._held.pop(key, None)
            text = event["text"] if held is None else held["text"] + event["text"]
            end = self._secrets.safe_end(text)
            if text[end:]:
                self._held[key] = {**event, "text": text[end:]}
            if end == 0:
                return
            event = {**event, "text": text[:end]}
        yield self._secrets.removed_from(event)

    def finish(self) -> Iterator[dict[str, Any]]:
        """Yield what is kept."""
        yield from self._end(list(self._held))

    def _end(self, keys: Iterable[tuple[Any, ...]]) -> Iterator[dict[str, Any]]:
        for key in keys:
            yield self._secrets.removed_from(self._held.pop(key))


def _forms(value: str) -> Iterator[str]:
    """Yield a value as it is, as JSON escapes it, and as JSON escapes that again."""
    yield value
    for ascii_only in (True, False):
        once = json.dumps(value, ensure_ascii=ascii_only)[1:-1]
        yield once
        yield json.dumps(once, ensure_ascii=ascii_only)[1:-1]
