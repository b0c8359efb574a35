"""The wire's types as plain data, which the renderers share."""

from dataclasses import dataclass
from typing import Any, Literal


@dataclass(frozen=True)
class Scalar:
    """A JSON scalar, or `any`; `minimum` bounds numbers."""

    name: Literal["string", "integer", "number", "boolean", "null", "any"]
    minimum: int | None = None


@dataclass(frozen=True)
class Choice:
    """One of a few words."""

    values: tuple[str, ...]


@dataclass(frozen=True)
class Items:
    """A JSON array."""

    of: "Node"


@dataclass(frozen=True)
class Mapped:
    """A JSON object with free keys."""

    of: "Node"


@dataclass(frozen=True)
class OneOf:
    """A union."""

    options: "tuple[Node, ...]"


@dataclass(frozen=True)
class Ref:
    """A type by its name."""

    name: str


Node = Scalar | Choice | Items | Mapped | OneOf | Ref


@dataclass(frozen=True)
class Member:
    """One member of an object; `default` is the value of an absent one."""

    name: str
    type: Node
    optional: bool
    default: Any = None
    doc: str = ""


@dataclass(frozen=True)
class Object:
    """A Struct; `closed` ones refuse unknown members."""

    name: str
    doc: str
    closed: bool
    members: tuple[Member, ...]


@dataclass(frozen=True)
class Alias:
    """A name for a union or a choice."""

    name: str
    type: Node


@dataclass(frozen=True)
class Method:
    """One method: `result` is None for a notification; `deprecated` names the method to use instead."""

    name: str
    to_server: bool
    params: Ref
    result: Node | None
    deprecated: str | None = None


@dataclass(frozen=True)
class ErrorCode:
    """One code of the errors table; `name` is absent for JSON-RPC's own."""

    code: int
    name: str
    doc: str


@dataclass(frozen=True)
class Protocol:
    """The description of the whole wire, in the order of the method table."""

    version: int
    methods: tuple[Method, ...]
    types: tuple[Object | Alias, ...]
    errors: tuple[ErrorCode, ...]
