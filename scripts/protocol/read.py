"""Reads the method table and its Structs into the plain model."""

import inspect
import types
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

import msgspec

from scripts.protocol.descriptions import describe
from scripts.protocol.model import (
    Alias,
    Choice,
    ErrorCode,
    Items,
    Mapped,
    Member,
    Method,
    Node,
    Object,
    OneOf,
    Protocol,
    Ref,
    Scalar,
)
from sidecar.api import errors, lifecycle, methods, model, settings
from sidecar.api.base import Params, Shape
from sidecar.api.runs import async_tasks, events, launches, requests, subagents
from sidecar.api.stored import doctor, export, files, housekeeping, search, stats, tasks

_MODULES = (
    lifecycle,
    tasks,
    stats,
    files,
    search,
    export,
    housekeeping,
    doctor,
    subagents,
    async_tasks,
    launches,
    requests,
    events,
    model,
    settings,
    methods,
)

_WIRE_ERRORS = (
    ErrorCode(-32700, "ParseError", "The body is not JSON; the ID is null."),
    ErrorCode(-32601, "MethodNotFound", "The method does not exist, or is not implemented yet."),
    ErrorCode(-32603, "InternalError", "A bug in the sidecar. `data`: correlationId, as in its log."),
    ErrorCode(-32800, "RequestCancelled", "The client cancelled the request."),
)


def read_protocol() -> Protocol:
    """Describe the wire as the sources declare it now."""
    reader = _Reader()
    listed = tuple(reader.method(name, spec) for name, spec in methods.METHODS.items())
    return Protocol(lifecycle.PROTOCOL_VERSION, listed, tuple(reader.types.values()), _error_codes())


class _Reader:
    """Collects each type once, in the order in which the methods reach it."""

    def __init__(self) -> None:
        self.types: dict[str, Object | Alias] = {}
        self._names = dict(_named_annotations())

    def method(self, name: str, spec: methods.MethodSpec) -> Method:
        params = self._struct(spec.params)
        result = None if spec.kind == "notification" else self._result(spec.result)
        return Method(name, spec.direction == "toServer", params, result, spec.deprecated)

    def _result(self, result: type[Any] | None) -> Node:
        return Scalar("null") if result is None else self._struct(result)

    def _struct(self, cls: type[msgspec.Struct]) -> Ref:
        name = cls.__name__
        if name not in self.types:
            doc, closed = _wire_doc(cls), issubclass(cls, Params)
            self.types[name] = Object(name, doc, closed, ())  # holds its place in the order
            self.types[name] = Object(name, doc, closed, tuple(self._members(cls)))
        return Ref(name)

    def _members(self, cls: type[msgspec.Struct]) -> Iterator[Member]:
        config = cls.__struct_config__
        if config.tag is not None:
            doc = "Tells the kinds of objects apart."
            yield Member(str(config.tag_field), Choice((str(config.tag),)), optional=False, doc=doc)
        hints = get_type_hints(cls, include_extras=True)
        for field in msgspec.structs.fields(cls):
            node, doc = self._node(hints[field.name]), describe(cls, field.name)
            if issubclass(cls, Params):
                default = _default(field)
                yield Member(field.encode_name, node, not field.required, default, doc)
            else:
                # A Record leaves out what equals a plain default; a factory's value is sent.
                optional = field.default is not msgspec.NODEFAULT
                yield Member(field.encode_name, _as_sent(node), optional, doc=doc)

    def _node(self, annotation: Any) -> Node:
        name = self._names.get(_key(annotation))
        if name is None:
            return self._unnamed(annotation)
        if name not in self.types:
            self.types[name] = Alias(name, Scalar("any"))
            self.types[name] = Alias(name, self._unnamed(annotation))
        return Ref(name)

    def _unnamed(self, annotation: Any) -> Node:
        origin, args = get_origin(annotation), get_args(annotation)
        if origin is Annotated:
            return self._annotated(args[0], args[1:])
        if origin is Literal:
            return Choice(args)
        if origin in (Union, types.UnionType):
            return _union([self._node(arg) for arg in args])
        if origin is list:
            return Items(self._node(args[0]))
        if origin is dict:
            return Mapped(self._node(args[1]))
        if inspect.isclass(annotation) and issubclass(annotation, msgspec.Struct):
            return self._struct(annotation)
        return _SCALARS[annotation]

    def _annotated(self, base: Any, notes: tuple[Any, ...]) -> Node:
        for note in notes:
            if isinstance(note, Shape):
                return self._node(_lookup(note.type_name))
            if isinstance(note, msgspec.Meta) and note.ge is not None:
                return Scalar(_SCALARS[base].name, int(note.ge))
        return self._node(base)


_SCALARS: Mapping[Any, Scalar] = {
    str: Scalar("string"),
    int: Scalar("integer"),
    float: Scalar("number"),
    bool: Scalar("boolean"),
    type(None): Scalar("null"),
    Any: Scalar("any"),
}


def _union(options: list[Node]) -> Node:
    """Join options; an integer together with a number is a number."""
    unique = tuple(dict.fromkeys(options))
    if Scalar("number") in unique:
        unique = tuple(option for option in unique if option != Scalar("integer"))
    return unique[0] if len(unique) == 1 else OneOf(unique)


def _as_sent(node: Node) -> Node:
    """Drop the null of an unknown value, which is left out; a NaN stays null, as JSON has none."""
    if not isinstance(node, OneOf) or Scalar("number") in node.options:
        return node
    return _union([option for option in node.options if option != Scalar("null")])


def _default(field: msgspec.structs.FieldInfo) -> Any:
    if field.default is not msgspec.NODEFAULT:
        return field.default
    if field.default_factory is msgspec.NODEFAULT:
        return None
    return msgspec.to_builtins(field.default_factory())


def _named_annotations() -> Iterator[tuple[Any, str]]:
    """Yield the module-level names given to choices and unions of Structs."""
    for module in _MODULES:
        for name, value in vars(module).items():
            if get_origin(value) is Literal or _is_struct_union(value):
                yield _key(value), name


def _is_struct_union(value: Any) -> bool:
    return isinstance(value, types.UnionType) and all(
        inspect.isclass(arg) and issubclass(arg, msgspec.Struct) for arg in get_args(value)
    )


def _key(annotation: Any) -> Any:
    """Return what distinguishes annotations; Literals compare without regard to order otherwise."""
    return (get_origin(annotation), get_args(annotation) or annotation)


def _lookup(name: str) -> Any:
    for module in _MODULES:
        if name in vars(module):
            return vars(module)[name]
    raise LookupError(f"Shape({name!r}) names no type of sidecar.api; declare it or fix the name")


def _error_codes() -> tuple[ErrorCode, ...]:
    own = (
        ErrorCode(cls.code, cls.__name__, _doc(cls))
        for cls in vars(errors).values()
        if inspect.isclass(cls) and issubclass(cls, errors.SidecarError) and cls is not errors.SidecarError
    )
    return tuple(sorted((*_WIRE_ERRORS, *own), key=lambda error: -error.code))


def _wire_doc(cls: type[msgspec.Struct]) -> str:
    """Return the docstring with the names that members have on the wire."""
    doc = _doc(cls)
    for field in msgspec.structs.fields(cls):
        doc = doc.replace(f"`{field.name}`", f"`{field.encode_name}`")
    return doc


def _doc(cls: type[Any]) -> str:
    return inspect.cleandoc(cls.__doc__ or "")
