"""The answers: what a list has to show of each session. docs/accuracy.md describes the file."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

import msgspec

TRUTH_FILE: Final = "truth.jsonl"
NOW_MS: Final = 1_776_254_400_000
"""2026-04-15T12:00:00Z: statuses hold at this time."""


class Used(msgspec.Struct, kw_only=True):
    """Tokens: `input` without those of a cache, `output` with reasoning."""

    input: int = 0
    output: int = 0
    cache_reads: int = 0
    cache_writes: int = 0

    def add(self, other: "Used") -> None:
        """Add what another answer used."""
        self.input += other.input
        self.output += other.output
        self.cache_reads += other.cache_reads
        self.cache_writes += other.cache_writes

    def tokens(self) -> dict[str, int]:
        """Return the tokens by their names on the wire."""
        return {
            "input": self.input,
            "output": self.output,
            "cacheReads": self.cache_reads,
            "cacheWrites": self.cache_writes,
        }

    def wire(self) -> dict[str, Any]:
        """Return the figures of a session by their names on the wire; no cost is recorded."""
        return {**self.tokens(), "total": self.input + self.output, "cost": None}


def by_model(answers: Iterable[tuple[str, Used, int]]) -> list[dict[str, Any]] | None:
    """Sum what models used, each with the number of its answers, by model. None unless there are several.

    The models are in the order of their first answers.
    """
    sums: dict[str, Used] = {}
    counts: Counter[str] = Counter()
    for model, used, count in answers:
        sums.setdefault(model, Used()).add(used)
        counts[model] += count
    if len(sums) < 2:
        return None
    return [{"model": model, "answers": counts[model], **used.tokens()} for model, used in sums.items()]


class Truth(msgspec.Struct, kw_only=True, rename="camel"):
    """One session. None means that the value has to be absent.

    `case` says what the session is for. `word` is in the text of this session and of no other. `listed` is
    False for sessions that the default list leaves out: those that belong to another session.
    """

    id: str
    product: str
    store: str
    case: str
    title: str
    workspace_dir: str | None
    model: str | None
    created_at: int
    last_activity: int
    message_count: int
    token_usage: Mapping[str, Any] | None
    status: str
    outcome: str
    parent_id: str | None = None
    listed: bool = True
    word: str | None = None
    damaged: bool = False


def status_of(end: str, last: int, now: int = NOW_MS) -> tuple[str, str]:
    """Return status and outcome of a session by its end: answered, cancelled, failed or open."""
    settled = {"answered": ("completed", "completed"), "cancelled": ("abandoned", "cancelled")}
    settled["failed"] = ("failed", "failed")
    if end in settled:
        return settled[end]
    day = 86_400_000
    age = now - last
    return ("active" if age < day else "abandoned" if age > 7 * day else "unknown"), "interrupted"


def write_truth(folder: Path, truths: Iterable[Truth]) -> None:
    """Write the answers of all stores in `folder`."""
    with (folder / TRUTH_FILE).open("w", encoding="utf-8", newline="\n") as file:
        for truth in truths:
            file.write(json.dumps(msgspec.to_builtins(truth), ensure_ascii=False) + "\n")
