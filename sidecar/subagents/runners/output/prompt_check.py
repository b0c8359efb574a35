"""What no prompt may hold, since no way of handing it over takes it."""

from sidecar.api.errors import InvalidParams


def check_prompt(prompt: str) -> None:
    """Raise InvalidParams naming a character that cannot be handed over, and the remedy."""
    if "\0" in prompt:
        raise InvalidParams("the prompt holds a NUL character, which cannot be handed over; remove it")
    try:
        prompt.encode()
    except UnicodeEncodeError as fault:
        where = f"half a surrogate pair at index {fault.start}"
        raise InvalidParams(f"the prompt holds {where}; send whole characters") from fault
