"""The stores of the corpus, one line for each product."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from sidecar.corpus.agents import claude, codex
from sidecar.corpus.agents.truth import Truth as AgentTruth
from sidecar.corpus.copilot import write_copilot
from sidecar.corpus.gemini import write_gemini
from sidecar.corpus.qwen import write_qwen
from sidecar.corpus.sessions.cline import write_cline
from sidecar.corpus.sessions.opencode import write_opencode
from sidecar.corpus.truth import Truth, Used, status_of, write_truth

Write = Callable[[Path, int, int], list[Truth]]
"""Write a store into an existing folder from a seed, with a number of sessions of each case."""
_COUNT: Final = 12
"""Sessions of one round, where the sessions of a store are drawn at random."""
_OTHER_SESSIONS: Final = 1 << 32
"""Added to the seed of a store in the format of another: with the same IDs, its sessions would be copies."""


def _write_claude(root: Path, seed: int, rounds: int) -> list[Truth]:
    return _of_agents("claude", claude.generate(root, seed, _COUNT * rounds))


def _write_codex(root: Path, seed: int, rounds: int) -> list[Truth]:
    return _of_agents("codex", codex.generate(root, seed, _COUNT * rounds))


def _write_opencode(root: Path, seed: int, rounds: int) -> list[Truth]:
    return _of_database(root, seed, rounds, "opencode")


def _write_kilo(root: Path, seed: int, rounds: int) -> list[Truth]:
    return _of_database(root, seed + _OTHER_SESSIONS, rounds, "kilo")


def _write_cline(root: Path, seed: int, rounds: int) -> list[Truth]:
    return [_of_row("cline", row) for row in write_cline(root, seed, _COUNT * rounds).values()]


STORES: Final[Mapping[str, Write]] = {
    "claude": _write_claude,
    "codex": _write_codex,
    "opencode": _write_opencode,
    "kilo": _write_kilo,
    "cline": _write_cline,
    "gemini": write_gemini,
    "qwen": write_qwen,
    "copilot": write_copilot,
}


def write_corpus(folder: Path, seed: int = 0, rounds: int = 1) -> list[Truth]:
    """Write every store into a folder of its own, and `truth.jsonl` next to them. Returns the answers."""
    truths = []
    for name, write in STORES.items():
        root = folder / name
        root.mkdir(parents=True)
        truths += write(root, seed, rounds)
    write_truth(folder, truths)
    return truths


def _of_database(root: Path, seed: int, rounds: int, product: str) -> list[Truth]:
    written = write_opencode(root, seed, _COUNT * rounds, product)
    written.close()
    return [_of_row(product, row) for row in written.truth.values()]


def _of_agents(store: str, truths: Sequence[AgentTruth]) -> list[Truth]:
    """Convert answers, and add the usage of parents with all their descendants."""
    found = [_of_agent(store, truth) for truth in truths]
    children: defaultdict[str, list[AgentTruth]] = defaultdict(list)
    for truth in truths:
        if truth.parent is not None:
            children[truth.parent].append(truth)
    for truth, made in zip(truths, found, strict=True):
        if truth.id in children:
            whole = _usage([truth, *_below(truth.id, children)])
            made.token_usage = {**(made.token_usage or {}), "withChildren": whole.wire()}
    return found


def _below(parent: str, children: Mapping[str, list[AgentTruth]]) -> Iterator[AgentTruth]:
    for child in children.get(parent, ()):
        yield child
        yield from _below(child.id, children)


def _usage(truths: Iterable[AgentTruth]) -> Used:
    whole = Used()
    for truth in truths:
        whole.add(truth.used() or Used())
    return whole


def _of_agent(store: str, truth: AgentTruth) -> Truth:
    used = {**used.wire(), "byModel": truth.by_model()} if (used := truth.used()) else None
    status = truth.status
    if truth.outcome == "interrupted":  # the agent does not know the time at which the answers hold
        status, _ = status_of("open", truth.last_activity or 0)
    return Truth(
        id=truth.id,
        product=store,
        store=store,
        case="drawn",
        title=truth.title,
        workspace_dir=truth.workspace,
        model=truth.model,
        created_at=truth.created_at or 0,
        last_activity=truth.last_activity or 0,
        message_count=truth.messages,
        token_usage=used,
        status=status,
        outcome=truth.outcome,
        parent_id=truth.parent,
        listed=truth.parent is None,
    )


def _of_row(store: str, row: Mapping[str, Any]) -> Truth:
    return Truth(
        id=row["id"],
        product=store,
        store=store,
        case="drawn",
        title=row["title"],
        workspace_dir=row.get("workspaceDir"),
        model=row.get("model"),
        created_at=row["createdAt"],
        last_activity=row["lastActivity"],
        message_count=row["messageCount"],
        token_usage=row.get("tokenUsage"),
        status=row["status"],
        outcome=row["outcome"],
        parent_id=row.get("parentId"),
        listed=row.get("parentId") is None,
    )
