"""Base classes of all wire types: lenient records out, strict parameters in."""

from typing import dataclass_transform

import msgspec


@dataclass_transform(kw_only_default=True, field_specifiers=(msgspec.field,))
class Record(msgspec.Struct, rename="camel", omit_defaults=True, kw_only=True):
    """A value the sidecar sends: camelCase members, unknown (None) members left out."""


@dataclass_transform(kw_only_default=True, field_specifiers=(msgspec.field,))
class Params(msgspec.Struct, rename="camel", forbid_unknown_fields=True, kw_only=True):
    """What a client sends: an unknown member is refused by name."""


class Shape(msgspec.Struct, frozen=True):
    """Name the type that a plain dict has on the wire, as `Annotated[dict[str, Any], Shape("X")]`.

    Decoding ignores it: such dicts are passed on or checked elsewhere. The generated schema and client
    types use it.
    """

    type_name: str


class NoParams(Params, kw_only=True):
    """Parameters of a request that takes none."""
