"""Reject prompts that no runner can pass to an agent."""

from sidecar.api.errors import InvalidParams


def check_prompt(prompt: str) -> None:
    """Raise InvalidParams if the prompt contains a NUL character or half a surrogate pair."""
    if "\0" in prompt:
        raise InvalidParams("the prompt contains a NUL character, which cannot be sent; remove it")
    try:
        prompt.encode()
    except UnicodeEncodeError as error:
        where = f"half a surrogate pair at index {error.start}"
        raise InvalidParams(f"the prompt contains {where}; send whole characters") from error
