"""The prompt of a run, put together from its definition, its goal and its context."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

_PLACEHOLDER = re.compile(r"\$\{([^{}]+)\}")


def build_prompt(
    system_prompt: str,
    goal: str,
    behaviour_prompts: Sequence[str] = (),
    context: Mapping[str, Any] | None = None,
) -> str:
    """Return the text a runner is given.

    The system prompt, a blank line, the goal, then each behaviour prompt on its own line. `${name}` is
    filled from `context` once (a filled-in value is not searched again); an unknown one stays as it is.
    Context that no placeholder used follows as JSON under a line `Context:`.
    """
    values = context or {}
    used: set[str] = set()
    task = "\n".join(_fill(text, values, used) for text in (goal, *behaviour_prompts))
    parts = [_fill(system_prompt, values, used).strip("\n"), task]
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
    # A lone surrogate could not be sent to a program as UTF-8; escaped, it is still the same value.
    return text if text.isprintable() or _encodable(text) else json.dumps(values, indent=2)


def _encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
