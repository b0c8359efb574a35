"""The readers of bytes that others write, each with initial inputs."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.fuzz.targets import acp_lines, command_events, definitions, framing, messages, stored, texts


@dataclass(frozen=True)
class Target:
    """`read` fails for bytes that a reader does not handle; `seeds` makes inputs in a folder, by name."""

    read: Callable[[bytes], None]
    seeds: Mapping[str, Callable[[Path], Iterable[bytes]]]


TARGETS: dict[str, Target] = {
    module.__name__.rpartition(".")[2]: Target(module.read, module.SEEDS)
    for module in (acp_lines, command_events, definitions, framing, messages, stored, texts)
}
