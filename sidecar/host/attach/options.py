"""Read the options of a command that gives its client to the Host, without the slow full parser."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection


def options_of(
    arguments: list[str], values: "Collection[str]", flags: "Collection[str]" = ()
) -> dict[str, str] | None:
    """Return the options by name, a flag as `yes`; None for options that only the full parser knows.

    `values` names the options that take a value, which may be given once and is not empty.
    """
    options: dict[str, str] = {}
    rest = iter(arguments)
    for argument in rest:
        name, equals, value = argument.partition("=")
        if argument in flags:
            options[name] = "yes"
            continue
        if name not in values or name in options:
            return None
        if not equals:
            value = next(rest, "")
        if not value:
            return None
        options[name] = value
    return options
