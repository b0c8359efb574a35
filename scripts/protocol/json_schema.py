"""Renders the protocol as JSON Schema (draft 2020-12)."""

import json
from typing import Any

from scripts.protocol.model import (
    Alias,
    Choice,
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


def render(protocol: Protocol) -> str:
    """Return the schema: types under `$defs`, methods and errors as annotations next to them."""
    document = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Subagent Sidecar protocol",
        "protocolVersion": protocol.version,
        "methods": {method.name: _method(method) for method in protocol.methods},
        "errors": {str(error.code): f"{error.name}: {error.doc}" for error in protocol.errors},
        "$defs": {item.name: _type(item) for item in protocol.types},
    }
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _method(method: Method) -> dict[str, Any]:
    described: dict[str, Any] = {
        "sentBy": "client" if method.to_server else "server",
        "kind": "notification" if method.result is None else "request",
        "params": _node(method.params),
    }
    if method.deprecated is not None:
        described["deprecated"] = True
    if method.result is not None:
        described["result"] = _node(method.result)
    return described


def _type(item: Object | Alias) -> dict[str, Any]:
    if isinstance(item, Alias):
        return _node(item.type)
    described: dict[str, Any] = {
        "description": item.doc,
        "type": "object",
        "properties": {member.name: _member(member) for member in item.members},
        "required": [member.name for member in item.members if not member.optional],
    }
    if item.closed:
        described["additionalProperties"] = False
    return described


def _member(member: Member) -> dict[str, Any]:
    described = {**_node(member.type), "description": member.doc}
    return described if member.default is None else {**described, "default": member.default}


def _node(node: Node) -> dict[str, Any]:
    match node:
        case Ref(name):
            return {"$ref": f"#/$defs/{name}"}
        case Choice(values):
            return {"enum": list(values)}
        case Items(of):
            return {"type": "array", "items": _node(of)}
        case Mapped(of):
            return {"type": "object", "additionalProperties": _node(of)}
        case OneOf(options):
            return {"anyOf": [_node(option) for option in options]}
        case Scalar():
            return _scalar(node)


def _scalar(node: Scalar) -> dict[str, Any]:
    if node.name == "any":
        return {}
    if node.minimum is None:
        return {"type": node.name}
    return {"type": node.name, "minimum": node.minimum}
