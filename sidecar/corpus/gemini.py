"""A store of Gemini CLI: `tmp/<project>/chats/`, where one session may be in several files."""

import hashlib
import json
from pathlib import Path
from typing import Final

from sidecar.corpus.gemini_chat import Chat, Layout
from sidecar.corpus.invention import FOLDERS, Inventor
from sidecar.corpus.truth import Truth

STORE: Final = "gemini"
_COMMON: Final = (
    "one document",
    "parts and display text",
    "command first",
    "hash and slug folder",
    "resumed, older messages repeated",
    "hash folder only",
    "lines, replaced and taken back",
    "lines, all replaced",
    "lines, cut",
    "lines, calls apart",
    "lines, opened again",
    "lines, another model",
    "another model",
    "cancelled",
    "declined tool",
    "error",
    "a tool without answer",
    "interrupted an hour ago",
    "interrupted three days ago",
    "taken back after a resume",
)
CASES: Final = (*_COMMON, "parent", "subagent of an unknown session")
"""One session each; the parent also has a child. Empty chats and chats of commands only do not count."""


def write_gemini(root: Path, seed: int = 0, rounds: int = 1) -> list[Truth]:
    """Write a store of `rounds` sessions of every case, and return their true values."""
    inventor, truths = Inventor(seed, STORE), []
    layout = Layout(root, {folder: _slug(folder, place) for place, folder in enumerate(FOLDERS)})
    for _ in range(rounds):
        for case in CASES:
            chat = Chat(inventor, case)
            chat.tell()
            chat.write(layout)
            truths.append(chat.truth())
            if case == "parent":
                child = Chat(inventor, "subagent", parent=chat)
                child.tell()
                child.write(layout)
                truths.append(child.truth())
                truths[-2].token_usage = chat.with_child(child)
    _write_lists(layout)
    _write_no_sessions(inventor, layout)
    return truths


def _slug(folder: str, place: int) -> str:
    words = "".join(letter if letter.isascii() and letter.isalnum() else "-" for letter in folder.lower())
    return f"{words.strip('-')[-12:].strip('-')}-{place}"


def _write_lists(layout: Layout) -> None:
    """Write the list of projects; half of the folders name their project as well."""
    projects = {"projects": layout.slugs}
    (layout.root / "projects.json").write_text(json.dumps(projects, indent=2), encoding="utf-8")
    for place, (folder, slug) in enumerate(layout.slugs.items()):
        if place % 2:
            path = layout.root / "tmp" / slug
            path.mkdir(parents=True, exist_ok=True)
            (path / ".project_root").write_bytes(folder.encode())


def _write_no_sessions(inventor: Inventor, layout: Layout) -> None:
    folder = layout.root / "tmp" / hashlib.sha256(b"/nowhere").hexdigest()
    chats = folder / "chats"
    chats.mkdir(parents=True)
    (chats / "session-2026-04-06T05-00-0e072838.json").write_bytes(b"")
    commands = Chat(inventor, "one document")
    commands.say("user", "/stats model")
    commands.say("info", "Session Stats")
    (chats / f"session-2026-04-06T05-01-{commands.id[:8]}.json").write_text(
        commands.document(), encoding="utf-8"
    )
    (chats / f"session-2026-04-06T05-02-{inventor.uuid()[:8]}.jsonl").write_text(
        json.dumps(Chat(inventor, "one document").metadata()) + "\n", encoding="utf-8"
    )
    (folder / "logs.json").write_text('[{"sessionId":"decoy","messageId":0,"type":"user"}]', encoding="utf-8")
    (layout.root / "tmp" / "bin").mkdir()
    (layout.root / "tmp" / "bin" / "rg").write_bytes(b"\x7fELF")
    (layout.root / "settings.json").write_text('{"selectedAuthType":"oauth-personal"}', encoding="utf-8")
