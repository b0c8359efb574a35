"""Find the title of a task: the user's first prompt."""

from collections.abc import Iterator
from typing import Any, Final

from sidecar.history.stored.parsing import text_of, value_of
from sidecar.history.stored.texts import one_line
from sidecar.history.stores.task_folders.files import API_FILE, UI_FILE
from sidecar.history.stores.task_folders.products.roo import ROO_INDEX
from sidecar.history.stores.task_folders.structural.view import Sourced, TaskView

NO_MESSAGES: Final = "(no messages)"
NOT_READ: Final = "(messages cannot be read)"
_UNREAD: Final = frozenset({"unreadable", "notRegular", "tooLarge"})
_PROMPT_SAYS: Final = frozenset({"text", "task", "user_feedback", None})
_WRAPPERS: Final = (("<task>", "</task>"), ("<user_message>", "</user_message>"))
_MACHINE_MADE: Final = ("<environment_details>", "# task_progress")


def title(view: TaskView) -> Sourced:
    """Find the whole first prompt, on one line; a prompt without words is described."""
    return next(_titles(view), None) or _untitled(view)


def _titles(view: TaskView) -> Iterator[Sourced]:
    first = view.ui_messages[0] if view.ui_messages else None
    if first is not None and first.kind in _PROMPT_SAYS and (line := one_line(text_of(first.text) or "")):
        yield Sourced(line, UI_FILE)
    if first is None or first.kind is None or first.kind not in _PROMPT_SAYS:
        if line := one_line(prompt_in_api(view)):
            yield Sourced(line, API_FILE)
        entry = view.entry or view.hint
        if entry is not None and isinstance(entry.task, str) and (line := one_line(entry.task)):
            yield Sourced(line, view.entry_source if view.entry else ROO_INDEX)


def prompt_in_api(view: TaskView) -> str:
    """Read the prompt in the API history, without its wrapper; "" when there is none."""
    message = next(view.user_messages(), None)
    texts = [
        block["text"].strip()
        for block in (view.blocks(message) if message else ())
        if block.get("type") == "text" and isinstance(block.get("text"), str)
    ]
    for text in texts:
        for opening, closing in _WRAPPERS:
            if text.startswith(opening):
                return _unwrapped(text, opening, closing)
    return next((text for text in texts if not text.startswith(_MACHINE_MADE)), "")


def _unwrapped(text: str, opening: str, closing: str) -> str:
    """Cut at the last closing tag: the prompt itself may hold one."""
    end = text.rfind(closing)
    prompt = text[len(opening) : end if end >= 0 else None].strip()
    return "" if prompt == "undefined" else prompt  # Roo's template prints this for a missing text


def _untitled(view: TaskView) -> Sourced:
    first = view.ui_messages[0] if view.ui_messages else None
    if first is not None:
        return Sourced(_without_text(value_of(first.images)), UI_FILE)
    if (message := next(view.user_messages(), None)) is not None:
        images = [block for block in view.blocks(message) if block.get("type") == "image"]
        return Sourced(_without_text(images), API_FILE)
    unread = any(found.code in _UNREAD for found in view.problems)
    return Sourced(NOT_READ if unread else NO_MESSAGES, "none")


def _without_text(images: Any) -> str:
    count = len(images) if isinstance(images, list) else 0
    if not count:
        return "(no text)"
    return f"(no text, {count} image{'s' if count > 1 else ''})"
