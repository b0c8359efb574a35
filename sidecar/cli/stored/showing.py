"""`show`: print one stored task and its transcript."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from sidecar.api.stored.tasks import GetResult, StoredMessage, TaskInfo, TokenUsage
from sidecar.app.settings import SettingsStore
from sidecar.changes.file_change import FileChange
from sidecar.cli import output
from sidecar.cli.options import common, foreign_roots
from sidecar.cli.stored.opening import open_history, tell_other_holders
from sidecar.history import TaskHistory
from sidecar.printable import printable
from sidecar.status_words import stored_status

if TYPE_CHECKING:
    from sidecar.history.stores.contract import Kind

_PAGE = 500
_FILES = 10
"""How many files of a task are shown."""


@click.command()
@click.argument("task_id", metavar="ID")
@foreign_roots
@click.option("--json", "as_json", is_flag=True, help="Print JSON: the result of tasks/get.")
@common
def show(task_id: str, roots: tuple[Path, ...], as_json: bool, store: SettingsStore) -> None:
    """Show one stored task and its transcript. ID can be a unique prefix."""
    history = open_history(roots, store)
    task, provenance = history.get(task_id, estimate=store.current.history.estimate_cost)
    tell_other_holders(history, task.id, task.root)
    if as_json:
        output.write_json(GetResult(task=task, provenance=provenance, revision=0))
        return
    location = history.store(task.root).location(task.id)
    rows = [(name, value, _source(provenance, key)) for name, key, value in _fields(task, location)]
    rows += [("Files", files, "")] if (files := _files(history, task)) else []
    width = max(len(name) for name, _, _ in rows)
    for name, value, source in rows:
        output.echo_line(f"{name:<{width}}  {value}" + (f"  ({source})" if source else ""))
    for problem in task.problems:
        output.echo_line(f"! {problem.code}: {problem.message}")
    kind: Kind = "ui" if task.ui_message_count else "api"
    cursor = None
    while True:
        page = history.messages(task.id, kind, cursor, _PAGE, root=task.root)
        for message in page.messages:
            _print_message(message)
        cursor = page.next_cursor
        if cursor is None:
            return


def _fields(task: TaskInfo, location: str) -> list[tuple[str, str, str]]:
    usage = task.token_usage
    pairs = [
        ("Title", "title", task.title),
        ("Id", "id", task.id),
        ("Status", "status", stored_status(task.status, task.outcome)),
        ("Created", "createdAt", output.when(task.created_at)),
        ("Last activity", "lastActivity", output.when(task.last_activity)),
        ("Span", "duration", output.span(task.duration)),
        ("Mode", "mode", " / ".join(part for part in (task.mode.name, task.mode.current) if part)),
        ("Model", "model", task.model or ""),
        ("Workspace", "workspaceDir", task.workspace_dir or ""),
        ("Tokens", "tokenUsage", _tokens(usage)),
        ("Cache", "", _cache(usage)),
        ("By model", "", _by_model(usage)),
        (
            "With children",
            "",
            output.count(usage.with_children.total if usage and usage.with_children else None),
        ),
        ("Cost", "cost", output.dollars(usage.cost if usage else None)),
        ("Estimated cost", "estimatedCost", output.dollars(usage.estimated_cost if usage else None)),
        ("Messages", "messageCount", output.count(task.message_count)),
        ("Size", "sizeBytes", output.size(task.size_bytes)),
        ("Product", "product", task.product),
        ("Parent", "parentId", task.parent_id or ""),
        ("Children", "childIds", " ".join(task.child_ids or ())),
        ("Kept", "kept", "the sidecar keeps a copy" if task.kept else ""),
        ("Location", "root", location),
    ]
    if usage is None:
        pairs = [pair for pair in pairs if pair[0] not in ("Tokens", "Cost")]
    return [pair for pair in pairs if pair[2]]


def _tokens(usage: TokenUsage | None) -> str:
    """Return the tokens of a task, and its input and output if both are known."""
    if usage is None or usage.total is None:
        return ""
    parts = [f"{output.count(usage.input)} input", f"{output.count(usage.output)} output"]
    return output.count(usage.total) + (
        f": {', '.join(parts)}" if None not in (usage.input, usage.output) else ""
    )


def _cache(usage: TokenUsage | None) -> str:
    """Return the tokens that a prompt cache read and wrote, without zeros."""
    counts = () if usage is None else ((usage.cache_reads, "read"), (usage.cache_writes, "written"))
    return ", ".join(f"{output.count(number)} {what}" for number, what in counts if number)


def _by_model(usage: TokenUsage | None) -> str:
    """Return the input and output tokens of each model of a task that used several."""
    if usage is None or usage.by_model is None:
        return ""
    return ", ".join(
        f"{each.model} {output.count((each.input or 0) + (each.output or 0))}" for each in usage.by_model
    )


def _files(history: TaskHistory, task: TaskInfo) -> str:
    """Return the first files of the task with their added and deleted lines."""
    files = history.files.files(task)
    more = f" and {len(files) - _FILES} more" if len(files) > _FILES else ""
    return ", ".join(map(_file, files[:_FILES])) + more


def _file(file: FileChange) -> str:
    counts = (("+", file.additions), ("-", file.deletions))
    if file.actions == {"read"}:
        return f"{file.path} (read)"
    return " ".join(
        [file.path, *(f"{sign}{output.count(lines)}" for sign, lines in counts if lines is not None)]
    )


def _source(provenance: object, key: str) -> str:
    entry = provenance.get(key) if isinstance(provenance, dict) else None
    if entry is None:
        return ""
    return f"{entry.source}: {entry.note}" if entry.note else str(entry.source)


def _print_message(message: StoredMessage) -> None:
    head = f"{output.when(message.ts)}  {message.role} {message.kind}".strip()
    if message.tool is not None and message.tool.name:
        head += f" {message.tool.name}"
    if message.tool is not None and message.tool.status == "error":
        head += " failed"
    if output.on_terminal():
        import shutil

        width = shutil.get_terminal_size().columns
        output.write("\n" + "-" * min(width, 80) + "\n")
    else:
        output.echo("")
    output.echo_line(head)
    if message.text:
        output.echo(printable(message.text).rstrip("\n"))
