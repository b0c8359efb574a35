"""The command `answer`."""

import asyncio
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click
import msgspec
import orjson

from sidecar.api.errors import InvalidParams, InvalidState, StorageError
from sidecar.api.runs.async_tasks import AsyncTask, Attention
from sidecar.app.settings import SettingsStore
from sidecar.cli import exits, output
from sidecar.cli.client import silence
from sidecar.cli.client.attached import HostClient, attached, run
from sidecar.cli.options import common, storage_root
from sidecar.cli.questions.asking import ask
from sidecar.cli.questions.showing import show


@click.command()
@click.argument("task_id", metavar="ID")
@click.option(
    "--option", metavar="OPTION", help="Choose an option of a permission request by its ID or kind."
)
@click.option("--json", "document", metavar="JSON", help='The answer: {"action": "accept", "content": {…}}.')
@click.option("--request", metavar="REQUEST", help="Answer only this request, given by its ID.")
@storage_root
@common
def answer(
    task_id: str,
    option: str | None,
    document: str | None,
    request: str | None,
    own_root: Path,
    store: SettingsStore,
) -> int:
    """Answer what a run is waiting for: a permission request or a question. ID can be a unique prefix.

    Without --option and --json, show it and ask on the terminal.

    \b
    Exit codes:
      0  the answer was accepted
      1  the run is not waiting for an answer, or the answer came too late
      2  the command was used incorrectly, or the answer does not fit
    """
    if option is not None and document is not None:
        raise InvalidParams("--option, --json: give only one of them")
    given = {"optionId": option} if option is not None else None if document is None else _parsed(document)
    if given is None and not (output.on_terminal(err=True) and sys.stdin.isatty()):
        raise InvalidParams("no terminal is available to ask in; use --option or --json")
    if not run(silence.is_running(own_root)):
        raise StorageError(
            f"{own_root}: no Host is running, so no runs wait for answers",
            path=str(own_root),
            reason="no Host",
        )
    return run(_answer(own_root, task_id, request, given))


async def _answer(root: Path, task_id: str, request: str | None, given: Mapping[str, Any] | None) -> int:
    async with attached(root, {}, trust=True) as host:
        task = msgspec.convert((await host.request("asyncTasks/get", taskId=task_id))["task"], AsyncTask)
        attention = task.attention
        if request is None and attention is None:
            raise InvalidState(
                f"task {task.id} is not waiting for an answer: it is {task.status}",
                taskId=task.id,
                status=task.status,
            )
        if given is None and attention is not None:
            show(task, attention)
            given = await asyncio.to_thread(ask, attention)
            if given is None:
                output.echo("The question is still open.", err=True)
                return exits.DONE
        return await _send(host, task, request, attention, given or {})


async def _send(
    host: HostClient,
    task: AsyncTask,
    request: str | None,
    attention: Attention | None,
    given: Mapping[str, Any],
) -> int:
    request_id = request or (attention.request_id if attention is not None else "")
    if attention is not None and "optionId" in given:
        given = {"optionId": _option(attention, given["optionId"])}
    await host.request("asyncTasks/answer", taskId=task.id, requestId=request_id, **given)
    output.echo(f"{task.id} was answered", err=True)
    return exits.DONE


def _option(attention: Attention, named: str) -> str:
    """Return the ID of an option that is given by its ID, or by a kind that only one option has."""
    of_kind = [each.option_id for each in attention.options if each.kind == named]
    known = any(each.option_id == named for each in attention.options)
    return of_kind[0] if len(of_kind) == 1 and not known else named


def _parsed(document: str) -> dict[str, Any]:
    try:
        found = orjson.loads(document)
    except orjson.JSONDecodeError as error:
        raise InvalidParams(f"--json: not a JSON document: {error}") from None
    allowed = {"action", "content", "optionId"}
    if not isinstance(found, dict) or not found.keys() <= allowed:
        raise InvalidParams("--json: use an object with action and content, or with optionId")
    return found
