"""Show what a run waits for on stderr: everything that an answer would allow."""

from sidecar.api.runs.async_tasks import AsyncTask, Attention
from sidecar.api.runs.questions import QuestionChoice, QuestionField
from sidecar.cli import output
from sidecar.printable import plain, printable
from sidecar.subagents.questions.formats import NAMES


def show(task: AsyncTask, attention: Attention) -> None:
    """Show a permission request or a question of a run."""
    verb = "asks" if attention.kind == "question" else "asks for permission"
    output.echo_line(f"{task.subagent_name} {verb}: {attention.title}", err=True)
    if attention.message is not None and attention.message != attention.title:
        _block(attention.message)
    facts = (("command", attention.command), ("folder", attention.cwd), ("address", attention.url))
    for name, value in facts:
        if value is not None:
            output.echo_line(f"  {name}: {value}", err=True)
    for path in attention.paths or ():
        output.echo_line(f"  file: {path}", err=True)
    if attention.diff is not None:
        _block(attention.diff)


def describe(name: str, field: QuestionField, *, required: bool) -> None:
    """Show a field of a form with its choices."""
    title = field.title or name
    expected = _expected(field)
    notes = [*([] if required else ["optional"]), *([expected] if expected else [])]
    output.echo_line(f"{title} ({', '.join(notes)})" if notes else title, err=True)
    if field.description is not None:
        _block(field.description)
    for number, choice in enumerate(choices_of(field), 1):
        more = f": {choice.description}" if choice.description else ""
        output.echo_line(f"  {number}) {choice.title}{more}", err=True)


def choices_of(field: QuestionField) -> list[QuestionChoice]:
    """Return the choices of a field; none if it is not a choice."""
    return field.one_of or (field.items.any_of if field.items is not None else [])


def _expected(field: QuestionField) -> str:
    match field.type:
        case "boolean":
            return "yes or no"
        case "array":
            return "numbers separated by commas"
        case "number" | "integer":
            bounds = [
                *([] if field.minimum is None else [f"at least {field.minimum}"]),
                *([] if field.maximum is None else [f"at most {field.maximum}"]),
            ]
            return ", ".join(["a number" if field.type == "number" else "a whole number", *bounds])
    return "" if field.format is None else NAMES[field.format]


def _block(text: str) -> None:
    for line in printable(text).split("\n"):
        output.echo(f"  {plain(line)}", err=True)
