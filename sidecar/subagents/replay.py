"""What an ended run said and did, as text that another agent can go on from: pure."""

from typing import Any

REPLAY_CHARS = 48_000
"""The end of a long transcript that is told: it has to fit into a prompt, and into an argument."""
GO_ON = "Go on where it ended."


class Replay:
    """Folds the events of a run."""

    def __init__(self) -> None:
        self._text = ""
        self._cut = 0
        self._speaker: tuple[str, object] | None = None

    def take(self, event: dict[str, Any]) -> None:
        """Take in one event: messages and the ends of tool calls are told, thoughts and plans are not."""
        match event["type"]:
            case "message":
                who = "User" if event.get("role") == "user" else "Agent"
                self._say(who, event.get("messageId"), str(event["text"]))
            case "tool" if event.get("status") in ("completed", "failed"):
                self._line(f"[tool] {event.get('title') or event.get('name')}: {event['status']}")
            case "emit":
                self._line(f"[output] {event['name']} = {event['value']}")

    def text(self) -> str:
        """Return the end of the transcript; a cut is said."""
        text = self._text.strip("\n")
        return f"[the first {self._cut:,} characters are cut]\n{text}" if self._cut else text

    def _say(self, who: str, message_id: object, text: str) -> None:
        goes_on = self._speaker == (who, message_id)
        self._add(text if goes_on else f"\n{who}: {text}")
        self._speaker = who, message_id

    def _line(self, line: str) -> None:
        self._add(f"\n{' '.join(line.split())}")
        self._speaker = None

    def _add(self, text: str) -> None:
        whole = self._text + text
        self._text = whole[-REPLAY_CHARS:]
        self._cut += len(whole) - len(self._text)


def replay_prompt(prompt: str, said: str, text: str | None) -> str:
    """Return a prompt that has a fresh agent go on with another's work."""
    what = f"<transcript>\n{said}\n</transcript>" if said else "It had said nothing yet."
    return (
        f"{prompt}\n\nAn earlier run of this has ended. This is what was said and done in it:\n{what}\n\n"
        f"{text or GO_ON}"
    )
