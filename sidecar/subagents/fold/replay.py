"""Summarizes an ended run as text that another agent can continue from."""

from typing import Any

REPLAY_CHARS = 48_000
"""Characters kept from the end of a long transcript: it must fit into a prompt and into an argument."""
CONTINUE = "Continue where it ended."


class Replay:
    """Folds the events of a run into a transcript of its messages and finished tool calls."""

    def __init__(self) -> None:
        self._text = ""
        self._cut = 0
        self._speaker: tuple[str, object] | None = None

    def take(self, event: dict[str, Any]) -> None:
        """Add one event."""
        match event.get("type"):
            case "message":
                who = "User" if event.get("role") == "user" else "Agent"
                self._say(who, event.get("messageId"), str(event.get("text", "")))
            case "tool" if event.get("status") in ("completed", "failed"):
                self._line(f"[tool] {event.get('title') or event.get('name')}: {event['status']}")
            case "emit":
                self._line(f"[output] {event.get('name')} = {event.get('value')}")

    def text(self) -> str:
        """Return the end of the transcript, headed by a line that names what was cut."""
        text = self._text.strip("\n")
        return f"[the first {self._cut:,} characters are cut]\n{text}" if self._cut else text

    def _say(self, who: str, message_id: object, text: str) -> None:
        continues = self._speaker == (who, message_id)
        self._add(text if continues else f"\n{who}: {text}")
        self._speaker = who, message_id

    def _line(self, line: str) -> None:
        self._add(f"\n{' '.join(line.split())}")
        self._speaker = None

    def _add(self, text: str) -> None:
        whole = self._text + text
        self._text = whole[-REPLAY_CHARS:]
        self._cut += len(whole) - len(self._text)


def replay_prompt(prompt: str, transcript: str, text: str | None) -> str:
    """Return a prompt that lets a new agent continue the work of another, or `prompt` if there is none."""
    if not transcript and text is None:
        return prompt
    what = f"<transcript>\n{transcript}\n</transcript>" if transcript else "(no output yet)"
    return f"{prompt}\n\nAn earlier run of this task has ended. Its transcript:\n{what}\n\n{text or CONTINUE}"
