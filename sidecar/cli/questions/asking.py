"""Ask a person on a terminal for the answer to what a run waits for."""

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

import click

from sidecar.api.runs.async_tasks import Attention
from sidecar.api.runs.questions import QuestionField, QuestionSchema
from sidecar.cli import output
from sidecar.cli.questions.showing import choices_of, describe
from sidecar.printable import plain
from sidecar.subagents.questions.content import problem
from sidecar.subagents.questions.patterns import pattern_problem
from sidecar.subagents.questions.question import is_secret

_YES, _NO = ("y", "yes", "true"), ("n", "no", "false")


def ask(attention: Attention) -> Mapping[str, Any] | None:
    """Return the answer as members of `asyncTasks/answer`; None to leave the question open."""
    if attention.kind == "permission":
        return _option(attention)
    answer: dict[str, Any] = {"action": "accept"}
    if attention.schema is None:
        chosen = _choose(
            "Open the address yourself, then accept (a), decline (d) or leave it open (q)", "adq"
        )
    else:
        answer["content"] = _content(attention.schema)
        chosen = _choose("Send (a), decline (d) or leave it open (q)", "adq")
    if chosen == "q":
        return None
    if chosen == "d":
        return {"action": "decline"}
    return answer


def _option(attention: Attention) -> Mapping[str, Any] | None:
    for number, option in enumerate(attention.options, 1):
        scope = f" ({option.scope})" if option.scope else ""
        output.echo_line(f"  {number}) {option.name}{scope}", err=True)
    number = _prompt(
        "Number of the answer, or empty to leave it open",
        lambda text: _number(text, attention.options) if text else None,
    )
    return None if number is None else {"optionId": attention.options[number].option_id}


def _content(form: QuestionSchema) -> dict[str, Any]:
    content = {}
    for name, field in form.properties.items():
        required = name in form.required
        describe(name, field, required=required)
        value = _value(name, field, required=required)
        if value is not None:
            content[name] = value
    return content


def _value(name: str, field: QuestionField, *, required: bool) -> Any:
    default = field.default

    def read(text: str) -> Any:
        if not text:
            if default is None and required:
                raise click.UsageError("a value is required")
            return default
        value = _parsed(field, text)
        wrong = problem(field, value) or asyncio.run(pattern_problem(field, value))
        if wrong is not None:
            raise click.UsageError(wrong)
        return value

    shown = "" if default is None else f" [{plain(_shown(field, default))}]"
    return _prompt(f">{shown}", read, hide=is_secret(name, field))


def _parsed(field: QuestionField, text: str) -> Any:
    match field.type:
        case "boolean":
            if text.lower() in (*_YES, *_NO):
                return text.lower() in _YES
            raise click.UsageError("answer yes or no")
        case "number" | "integer":
            try:
                return int(text) if field.type == "integer" else float(text)
            except ValueError:
                raise click.UsageError("must be a number") from None
        case "array":
            choices = choices_of(field)
            chosen = (choices[_number(part.strip(), choices)].const for part in text.split(","))
            return [*dict.fromkeys(chosen)]
    if field.one_of is not None:
        return field.one_of[_number(text, field.one_of)].const
    return text


def _shown(field: QuestionField, value: Any) -> str:
    titles: dict[str, str] = {each.const: each.title for each in choices_of(field)}
    if isinstance(value, list):
        return ", ".join(titles.get(each, str(each)) for each in value)
    return titles.get(value, str(value)) if isinstance(value, str) else str(value)


def _number(text: str, among: list[Any]) -> Any:
    """Return the index that a number from 1 names."""
    if not (text.isdecimal() and 0 < int(text) <= len(among)):
        raise click.UsageError(f"enter a number from 1 to {len(among)}")
    return int(text) - 1


def _choose(text: str, among: str) -> str:
    def read(given: str) -> str:
        if given not in (*among, ""):
            raise click.UsageError(f"enter one of: {', '.join(among)}")
        return given or among[0]

    return str(_prompt(f"{text} [{among[0]}]", read))


def _prompt(text: str, read: Callable[[str], Any], *, hide: bool = False) -> Any:
    """Ask until the text that a person enters can be read."""
    while True:
        given = click.prompt(
            text, default="", show_default=False, prompt_suffix=" ", err=True, hide_input=hide
        )
        try:
            return read(str(given).strip())
        except click.UsageError as error:
            output.echo_line(f"  {error.message}", err=True)
