"""Count the tokens and cost of a run from its agent's reports. A fold without I/O.

Agents report in three ways: the usage of each model answer, the size of the context after an answer, or the
usage of a turn in the reply to the prompt. `inputTokens` always excludes the cache.
"""

from collections.abc import Iterator, Mapping
from typing import Any

Tokens = dict[str, int]
"""`inputTokens`, `outputTokens`, `cacheReads`, `cacheWrites`. A missing member is unknown."""

_THEIRS = {
    "inputTokens": ("inputTokens", "input_tokens"),
    "outputTokens": ("outputTokens", "output_tokens"),
    "cacheReads": ("cachedReadTokens", "cachedInputTokens"),
    "cacheWrites": ("cachedWriteTokens", "cacheWriteInputTokens"),
    "thoughts": ("thoughtTokens", "reasoningOutputTokens"),
    "total": ("totalTokens",),
}
_CACHE_APART_THOUGHTS_WITHIN = (False, True)
_CONVENTIONS = (_CACHE_APART_THOUGHTS_WITHIN, (True, True), (False, False), (True, False))
"""(input includes the cache, output includes the thoughts), the most common first."""


def tokens_of(usage: Any) -> Tokens:
    """Return the tokens of a report in any agent's format. Its total shows which convention it follows."""
    given = {ours: count for ours, names in _THEIRS.items() if (count := _count(usage, names)) is not None}
    thoughts, total = given.pop("thoughts", 0), given.pop("total", None)
    cached = given.get("cacheReads", 0) + given.get("cacheWrites", 0)
    written = given.get("inputTokens", 0) + given.get("outputTokens", 0)
    with_cache, with_thoughts = next(
        (
            each
            for each in _CONVENTIONS
            if total == written + (0 if each[0] else cached) + (0 if each[1] else thoughts)
        ),
        _CACHE_APART_THOUGHTS_WITHIN,
    )
    if with_cache and cached:
        given["inputTokens"] = max(0, given.get("inputTokens", 0) - cached)
    if not with_thoughts and thoughts:
        given["outputTokens"] = given.get("outputTokens", 0) + thoughts
    return given


def reply_tokens(reply: Mapping[str, Any]) -> Tokens:
    """Return the tokens from the most complete report in the reply to a prompt.

    `usage` is part of the protocol. `_meta.quota` (gemini, claude, codex) also has a row for each model,
    which in claude includes its subagents.
    """
    quota = _member(reply, "_meta", "quota")
    rows = _member(quota, "model_usage")
    by_model: Tokens = {}
    for row in rows if isinstance(rows, list) else []:
        by_model = _sum(by_model, tokens_of(_member(row, "token_count")))
    reports = (tokens_of(reply.get("usage")), tokens_of(_member(quota, "token_count")), by_model)
    return max(reports, key=lambda tokens: (sum(tokens.values()), len(tokens)))


def quota_of(reply: Mapping[str, Any]) -> Tokens:
    """Return the tokens of a turn in gemini's format; empty for other agents."""
    quota = _member(reply, "_meta", "quota", "token_count")
    return tokens_of(quota) if isinstance(quota, Mapping) and "input_tokens" in quota else {}


def counted_nothing(reply: Mapping[str, Any]) -> bool:
    """Return whether gemini counted no tokens for a turn, which means that no answer arrived.

    Other agents also report 0 if the model server does not report usage.
    """
    counted = quota_of(reply)
    return "usage" not in reply and bool(counted) and not any(counted.values())


class Usage:
    """The cumulative usage of one run."""

    def __init__(self) -> None:
        self.cost_before = 0.0
        """The cost of the session in USD before this run, which the agent's reports include."""
        self.last_turn = 0
        """The number of tokens of the turn that ended last."""
        self._reported: dict[str, Any] = {}
        self._other: dict[str, Any] = {}
        self._before: Tokens = {}
        self._turn: Tokens = {}
        self._answers: list[int] = []
        self._closes_answers: bool | None = None
        """Whether the agent reports an answer's size after the answer (codex) or before it (claude)."""
        self._has_acted = False
        self._tool_has_ended = False

    def update(self, update: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        """Process a session update of any kind and yield a `usage` event if the usage changes."""
        is_report = update.get("sessionUpdate") == "usage_update"
        if is_report:
            self._context(update)
        if update.get("_meta") is not None:
            self._extensions(update["_meta"])
        elif not is_report:  # most updates are pieces of text
            return
        yield from self._changes()

    def follow(self, event: Mapping[str, Any]) -> None:
        """Process another event of the run: sizes reported before and after it count as different answers."""
        if event["type"] in ("message", "thought") or event.get("status") == "started":
            self._has_acted = True
        elif event["type"] == "tool":
            self._tool_has_ended = True

    def end_turn(self, reply: Tokens) -> Iterator[dict[str, Any]]:
        """Record the tokens from the reply to the prompt, which replace those counted during the turn."""
        self._turn = reply if any(reply.values()) else self._counted() or reply
        self.last_turn = sum(self._turn.values())
        self._before, self._turn = _sum(self._before, self._turn), {}
        self._answers.clear()
        self._has_acted = self._tool_has_ended = False
        yield from self._changes()

    def _counted(self) -> Tokens:
        """Return the tokens of the current turn. If only sizes are known, they count as input."""
        return self._turn or ({"inputTokens": sum(self._answers)} if any(self._answers) else {})

    def _extensions(self, meta: Any) -> None:
        if answer := tokens_of(_member(meta, "usage")):
            self._turn = _sum(self._turn, answer)
            self._answers.clear()
        if session := tokens_of(_member(meta, "sidecar", "usage")):
            self._turn = {name: max(0, count - self._before.get(name, 0)) for name, count in session.items()}
            self._answers.clear()

    def _context(self, update: Mapping[str, Any]) -> None:
        context = _numbers({"contextUsed": update.get("used"), "contextSize": update.get("size")})
        self._other |= context
        if "contextUsed" in context and not self._turn:
            self._measure(int(context["contextUsed"]))
        cost = update.get("cost")
        if isinstance(cost, Mapping) and cost.get("currency") == "USD":
            self._other |= self._cost(_numbers({"cost": cost.get("amount")}))

    def _measure(self, size: int) -> None:
        """Count an answer by the size of the context after it. Several reports may refer to one answer.

        An agent that reports after an answer may repeat an unchanged size. A different size belongs to
        another answer, even without an event in between, since codex hides some tools.
        """
        if self._closes_answers is None:
            self._closes_answers = self._has_acted
        is_next = self._tool_has_ended
        if self._closes_answers and self._answers:
            is_next = self._has_acted or size != self._answers[-1]
        if not self._answers or is_next:
            self._answers.append(size)
        else:
            self._answers[-1] = max(self._answers[-1], size)
        self._has_acted = self._tool_has_ended = False

    def _cost(self, reported: dict[str, Any]) -> dict[str, Any]:
        """Return the cost without earlier runs. An agent that reports less than that excludes them itself."""
        if "cost" not in reported or not self.cost_before:
            return reported
        if reported["cost"] < self.cost_before:
            self.cost_before = 0.0
        return {"cost": round(reported["cost"] - self.cost_before, 9)}

    def _changes(self) -> Iterator[dict[str, Any]]:
        members = {**self._other, **_sum(self._before, self._counted())}
        if members != self._reported:
            self._reported = members
            yield {"type": "usage", **members}


def _sum(one: Tokens, other: Tokens) -> Tokens:
    return {name: one.get(name, 0) + other.get(name, 0) for name in _THEIRS if name in one or name in other}


def _count(usage: Any, names: tuple[str, ...]) -> int | None:
    found = (usage.get(name) for name in names) if isinstance(usage, Mapping) else ()
    return next((n for n in found if isinstance(n, int) and not isinstance(n, bool) and n >= 0), None)


def _numbers(members: dict[str, Any]) -> dict[str, Any]:
    return {
        name: value
        for name, value in members.items()
        if isinstance(value, int | float) and not isinstance(value, bool) and value >= 0
    }


def _member(value: Any, *path: str) -> Any:
    for name in path:
        value = value.get(name) if isinstance(value, Mapping) else None
    return value
