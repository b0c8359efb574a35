"""The texts that ask an agent for its outputs, as fenced blocks in its messages."""

from collections.abc import Iterable, Mapping, Sequence

from sidecar.subagents.fold.variables import EMITTED_BYTES


def request_outputs(outputs: Mapping[str, str]) -> str:
    """Return the text that asks an agent for its outputs.

    Its example is invalid JSON, so an agent that repeats the example does not emit an output.
    """
    described = "".join(f"\n- {name}: {' '.join(text.split())}" for name, text in outputs.items())
    return f"When you are done, hand over these outputs:{described}\n{_how(outputs)}"


def remind_of_outputs(missing: Iterable[str], problems: Sequence[str] = ()) -> str:
    """Return the text that asks an agent for missing outputs after its turn.

    `problems` say why those that it wrote were not kept; see `output_problems`.
    """
    names = list(missing)
    explained = "".join(f"{each}\n" for each in problems)
    return (
        f"These outputs are still missing: {', '.join(names)}. Hand them over now.\n{explained}{_how(names)}"
    )


def output_problems(missing: Iterable[str], left_out: Mapping[str, int], block: str | None) -> list[str]:
    """Explain why outputs of an agent are missing although it wrote them, and what to do instead.

    `left_out` has the bytes of those that were too large, and `block` says why the last block was not read.
    """
    found = [
        f"{name} was not kept: it has about {left_out[name]:,} bytes, and all outputs together may have "
        f"{EMITTED_BYTES:,}. Shorten it, or write it to a file and hand over the path."
        for name in missing
        if name in left_out
    ]
    if block is not None:
        found.append(
            f"The last block of outputs was not read: {block}. Write a shorter one that is a JSON object; "
            "write long texts to a file and hand over the path."
        )
    return found


def _how(names: Iterable[str]) -> str:
    members = ", ".join(f'"{name}": ...' for name in names)
    return (
        "Write them as one JSON object in a fenced block that is marked with the word outputs, like this:\n\n"
        f"```outputs\n{{{members}}}\n```"
    )
