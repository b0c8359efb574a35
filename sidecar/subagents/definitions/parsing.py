"""Parses one definition file by the rules of its format."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Any

from sidecar.api.runs.subagents import DefinitionProblem
from sidecar.subagents.definitions.formats import SIDECAR, Format, Rule
from sidecar.subagents.definitions.model import Definition, Document, Malformed, Member, ParsedFile
from sidecar.subagents.definitions.values import Unsupported, is_name

MAX_BYTES = 256 << 10
"""A larger prompt is a mistake, and every run would pay for it."""
MAX_DERIVED = 200
"""Characters of a prompt's first line used as the description if the format does not require one."""


def parse_definition(data: bytes, path: str, form: Format = SIDECAR) -> ParsedFile:
    """Parse a file's bytes; never raises. `path` names the file in problems, and a subagent without a name.

    An unsupported key is reported and ignored, as is an unknown key in the sidecar's own format. Any other
    problem rejects the definition: running it without its limit, for example, is not what its author wrote.
    """
    parser = _Parser(path, form)
    definition = parser.parse(data)
    return ParsedFile(definition, parser.problems)


@dataclass
class _Parser:
    path: str
    form: Format
    problems: list[DefinitionProblem] = field(default_factory=list)
    _fatal: bool = False

    def parse(self, data: bytes) -> Definition | None:
        try:
            document = self.form.split(_text(data))
        except Malformed as error:
            self._reject(error.line, error.message)
            return None
        values = self._values(document)
        self._complete(values, document)
        return None if self._fatal else Definition(**values)

    def _values(self, document: Document) -> dict[str, Any]:
        body = document.body
        values: dict[str, Any] = {} if body is None else {"system_prompt": body.strip("\n")}
        seen: set[str] = set()
        for member in document.members:
            rule = self.form.rules.get(member.key)
            if rule is None:
                self._ignore(member)
            elif member.key in seen:
                self._reject(member.line, f"{member.key} is given twice")
            else:
                seen.add(member.key)
                self._take(member, rule, values)
        return values

    def _take(self, member: Member, rule: Rule, values: dict[str, Any]) -> None:
        try:
            raw = member.read()
            if raw is None and not self.form.closed:
                return
            value = self._checked(member, rule, raw)
        except ValueError as error:
            self._reject(member.line, f"{member.key}: {error}")
            return
        if rule.field is not None:
            values[rule.field] = value
        if rule.field == "model":
            values["model_line"] = member.line

    def _checked(self, member: Member, rule: Rule, raw: Any) -> Any:
        try:
            return rule.check(raw)
        except Unsupported as reason:
            self._note(member.line, f"{member.key}: {reason}")
            return reason.instead

    def _ignore(self, member: Member) -> None:
        if member.key in self.form.unsupported:
            self._note(member.line, f"{member.key} is ignored: {self.form.unsupported[member.key]}")
        elif self.form.closed:
            known = ", ".join(self.form.rules)
            self._note(member.line, f"unknown key {member.key!r}; known keys: {known}")

    def _complete(self, values: dict[str, Any], document: Document) -> None:
        """Check required keys, and fill in what the tool itself takes from elsewhere."""
        for key in self.form.required:
            rule = self.form.rules[key]
            if rule.field not in values and not self._fatal:
                self._reject(1, f"{key} is missing; a definition needs {_listed(self.form.required)}")
        if self._fatal or self.form.closed:
            return
        self._complete_name(values, document.members)
        if "description" not in values:
            values["description"] = _first_line(values["system_prompt"])
            if not values["description"]:
                self._reject(1, "description is missing, and the prompt has no first line to use instead")

    def _complete_name(self, values: dict[str, Any], members: Iterable[Member]) -> None:
        """Use the file's name, as the tool does, if the name is a title and not an identifier."""
        stem = self.form.stem(PurePath(self.path).name)
        if is_name(values.get("name", "")):
            return
        if is_name(stem):
            values["name"] = stem
            return
        line = next((member.line for member in members if member.key == "name"), 1)
        self._reject(
            line,
            "neither the name nor the file name is 1 to 64 letters, digits, '-', '_' or '.'; rename it",
        )

    def _reject(self, line: int | None, message: str) -> None:
        self._fatal = True
        self._note(line, message)

    def _note(self, line: int | None, message: str) -> None:
        self.problems.append(DefinitionProblem(path=self.path, line=line, message=message))


def _text(data: bytes) -> str:
    if len(data) > MAX_BYTES:
        raise Malformed(None, f"the file is larger than {MAX_BYTES >> 10} KiB; shorten its prompt")
    try:
        return data.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise Malformed(line, "not UTF-8; save the file as UTF-8") from None


def _first_line(prompt: str) -> str:
    lines = (line.strip("# \t") for line in prompt.split("\n"))
    return next((line for line in lines if line), "")[:MAX_DERIVED]


def _listed(keys: tuple[str, ...]) -> str:
    *most, last = (f"a {key}" for key in keys)
    return f"{', '.join(most)} and {last}" if most else last
