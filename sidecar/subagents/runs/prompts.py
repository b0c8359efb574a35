"""Build the prompt of a run from its definition, goal and context."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

_COMMAND = re.compile(r"/[A-Za-z][\w:.-]*(?:\s|$)")
"""A goal that begins with a slash command of the agent, and not with a path."""
_PLACEHOLDER = re.compile(r"\$\{([^{}]+)\}")


def build_prompt(
    system_prompt: str,
    goal: str,
    behaviour_prompts: Sequence[str] = (),
    context: Mapping[str, Any] | None = None,
) -> str:
    """Return the prompt for a runner.

    It consists of the system prompt, a blank line, the goal, and each of the `behaviour_prompts` on its own
    line. `${name}` is replaced with the value from `context`, once: placeholders in values are not replaced.
    Unknown placeholders stay. Context that no placeholder uses follows as JSON after a line `Context:`.
    A goal that begins with a slash command of the agent comes first.
    """
    values = context or {}
    used: set[str] = set()
    task = "\n".join(_fill(text, values, used) for text in (goal, *behaviour_prompts))
    parts = [_fill(system_prompt, values, used).strip("\n"), task]
    if _COMMAND.match(goal):
        parts.reverse()
    unused = {key: value for key, value in values.items() if key not in used}
    if unused:
        parts.append("Context:\n" + _json(unused))
    return "\n\n".join(part for part in parts if part.strip())


def _fill(text: str, values: Mapping[str, Any], used: set[str]) -> str:
    def value_of(match: re.Match[str]) -> str:
        name = match[1]
        if name not in values:
            return match[0]
        used.add(name)
        value = values[name]
        return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)

    return _PLACEHOLDER.sub(value_of, text)


def _json(values: Mapping[str, Any]) -> str:
    text = json.dumps(values, ensure_ascii=False, indent=2)
    # UTF-8 cannot encode a lone surrogate, so escape it.
    return text if text.isprintable() or _encodable(text) else json.dumps(values, indent=2)


def _encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
