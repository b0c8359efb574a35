"""One definition file: Markdown with YAML front matter, parsed and checked line by line."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

from sidecar.api.async_tasks import DefinitionProblem
from sidecar.subagents.permission_policy import Policy

if TYPE_CHECKING:  # where a file is parsed it is imported in earnest: starting up parses none
    import yaml

MAX_BYTES = 256 << 10
"""A prompt larger than this is a mistake, and every run would pay for it."""
MAX_FRONT_MATTER = 16 << 10
"""In characters: the YAML parser takes its time over hostile text, and a listing waits for it."""

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_FENCE = re.compile(r"---[ \t]*")


@dataclass(frozen=True, kw_only=True)
class Definition:
    """One subagent as its file describes it; `system_prompt` is the file's body.

    `max_turns` and `timeout_seconds` are -1 for no limit, None where the file does not say.
    """

    name: str
    description: str
    system_prompt: str
    runner: str | None = None
    model: str | None = None
    tools: tuple[str, ...] | None = None
    max_turns: int | None = None
    timeout_seconds: float | None = None
    isolation: Literal["none", "worktree"] | None = None
    permissions: Policy | None = None


class ParsedFile(NamedTuple):
    """A file's definition, None if a fault stands in its way, and every fault found."""

    definition: Definition | None
    problems: list[DefinitionProblem]


def parse_definition(data: bytes, path: str) -> ParsedFile:
    """Parse a file's bytes; never raises. `path` only names the file in problems.

    An unknown key is reported and passed over. Every other fault keeps the definition from being taken:
    running it without, say, its limit would not be what its author wrote.
    """
    parser = _Parser(path)
    definition = parser.parse(data)
    return ParsedFile(definition, parser.problems)


@dataclass
class _Parser:
    path: str
    problems: list[DefinitionProblem] = field(default_factory=list)
    _fatal: bool = False

    def parse(self, data: bytes) -> Definition | None:
        lines = self._lines(data)
        if lines is None:
            return None
        end = _end_of_front_matter(lines)
        if end is None:
            self._fault(1, "no front matter: the file begins with ---, its keys, and --- again")
            return None
        front_matter = "\n".join(lines[1:end])
        if len(front_matter) > MAX_FRONT_MATTER:
            self._fault(1, f"the front matter is larger than {MAX_FRONT_MATTER >> 10} KiB; shorten it")
            return None
        values = dict(self._values(front_matter))
        self._require(values)
        if self._fatal:
            return None
        return Definition(**values, system_prompt="\n".join(lines[end + 1 :]).strip("\n"))

    def _lines(self, data: bytes) -> list[str] | None:
        if len(data) > MAX_BYTES:
            self._fault(None, f"the file is larger than {MAX_BYTES >> 10} KiB; shorten its prompt")
            return None
        try:
            return data.decode("utf-8-sig").replace("\r\n", "\n").split("\n")
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            self._fault(line, "not UTF-8; save the file in that encoding")
            return None

    def _values(self, front_matter: str) -> Iterator[tuple[str, Any]]:
        seen: set[str] = set()
        for key, line, node, loader in self._pairs(front_matter):
            rule = _RULES.get(key)
            if rule is None:
                self._note(line, f"unknown key {key!r}; known are {', '.join(_RULES)}")
            elif key in seen:
                self._fault(line, f"{key} is given twice")
            else:
                seen.add(key)
                try:
                    yield rule.field, rule.check(_value(loader, node))
                except ValueError as error:
                    self._fault(line, f"{key}: {error}")

    def _pairs(self, front_matter: str) -> "Iterator[tuple[str, int, yaml.Node, yaml.SafeLoader]]":
        import yaml

        # Composed, not loaded: nodes know their lines, and aliases are not multiplied.
        try:
            loader = yaml.SafeLoader(front_matter)
            root = loader.get_single_node()
        except yaml.YAMLError as error:
            mark = getattr(error, "problem_mark", None)
            self._fault(
                mark.line + 2 if mark else None, f"not YAML: {getattr(error, 'problem', None) or error}"
            )
            return
        except (RecursionError, ValueError):
            self._fault(None, "not YAML that can be read: nested too deep, or a malformed value")
            return
        if root is None:
            return
        if not isinstance(root, yaml.MappingNode):
            self._fault(root.start_mark.line + 2, "the front matter is not a list of `key: value` lines")
            return
        for key, node in root.value:
            name = key.value[:64] if isinstance(key, yaml.ScalarNode) else "(a list)"
            yield name, key.start_mark.line + 2, node, loader

    def _require(self, values: dict[str, Any]) -> None:
        for key in ("name", "description"):
            if key not in values and not self._fatal:
                self._fault(1, f"{key} is missing; a definition needs a name and a description")

    def _fault(self, line: int | None, message: str) -> None:
        self._fatal = True
        self._note(line, message)

    def _note(self, line: int | None, message: str) -> None:
        self.problems.append(DefinitionProblem(path=self.path, line=line, message=message))


def _end_of_front_matter(lines: list[str]) -> int | None:
    if not _FENCE.fullmatch(lines[0]):
        return None
    return next((n for n, line in enumerate(lines) if n > 0 and _FENCE.fullmatch(line)), None)


def _value(loader: "yaml.SafeLoader", node: "yaml.Node") -> Any:
    import yaml

    parts = node.value if isinstance(node, yaml.SequenceNode) else [node]
    if not all(isinstance(part, yaml.ScalarNode) for part in parts):
        raise ValueError("expected a plain value or a list of plain values")
    try:
        values = [loader.construct_object(part) for part in parts]
    except (yaml.YAMLError, OverflowError) as error:
        raise ValueError("cannot be read as a YAML value; put it in quotes") from error
    return values if isinstance(node, yaml.SequenceNode) else values[0]


def _name(value: Any) -> str:
    if not isinstance(value, str) or not _NAME.fullmatch(value):
        raise ValueError(
            "expected 1 to 64 letters, digits, '-', '_' or '.', beginning with a letter or digit"
            + ("" if isinstance(value, str) else "; put it in quotes")
        )
    return value


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(f"expected text, got {_kind(value)}; put it in quotes")
    if not value.strip():
        raise ValueError("must not be blank")
    return value.strip()


def _texts(value: Any) -> tuple[str, ...]:
    """Take a YAML list, or one line with commas, as other tools' files have it."""
    parts = value.split(",") if isinstance(value, str) else value
    if not isinstance(parts, list):
        raise ValueError(f"expected a list of names, got {_kind(value)}")
    return tuple(_text(part) for part in parts if part != "")


def _turns(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or (value < 1 and value != -1):
        raise ValueError("expected a whole number of at least 1, or -1 for no limit")
    return value


def _seconds(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not (0 < value < 1e9 or value == -1):
        raise ValueError("expected a number of seconds above 0, or -1 for no limit")
    return value


def _isolation(value: Any) -> str:
    if value not in ("none", "worktree"):
        raise ValueError("expected none or worktree")
    return str(value)


def _permissions(value: Any) -> str:
    if value not in get_args(Policy):
        raise ValueError(f"expected one of {', '.join(get_args(Policy))}")
    return str(value)


def _kind(value: Any) -> str:
    names = {bool: "true or false", int: "a number", float: "a number", list: "a list", type(None): "nothing"}
    return names.get(type(value), type(value).__name__)


class _Rule(NamedTuple):
    field: str
    check: Callable[[Any], Any]


_RULES = {
    "name": _Rule("name", _name),
    "description": _Rule("description", _text),
    "runner": _Rule("runner", _text),
    "model": _Rule("model", _text),
    "tools": _Rule("tools", _texts),
    "maxTurns": _Rule("max_turns", _turns),
    "timeoutSeconds": _Rule("timeout_seconds", _seconds),
    "isolation": _Rule("isolation", _isolation),
    "permissions": _Rule("permissions", _permissions),
}
