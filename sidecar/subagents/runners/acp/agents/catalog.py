"""The agents of the registry of the Agent Client Protocol, from a snapshot of it that comes with the sidecar.

`registry.json` holds the names and commands of the registry's entries, without its icons and downloads.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from sidecar.subagents.runners.acp.agents.extras import Extras, GuardedRun

_FILE = Path(__file__).with_name("registry.json")


class CatalogEntry(msgspec.Struct, frozen=True):
    """One agent of the registry."""

    id: str
    name: str
    version: str
    license: str
    command: tuple[str, ...]
    env: Mapping[str, str] = msgspec.field(default_factory=dict)


class _Registry(msgspec.Struct):
    agents: list[CatalogEntry]


@dataclass(frozen=True)
class UnverifiedAgent:
    """An agent that the tests cannot drive, because it needs a sign-in or a service of its vendor."""

    command: tuple[str, ...]
    sign_in: str
    env: Mapping[str, str] = field(default_factory=dict)


def registry() -> dict[str, CatalogEntry]:
    """Return the entries of the snapshot by their ID. Blocking."""
    return {each.id: each for each in msgspec.json.decode(_FILE.read_bytes(), type=_Registry).agents}


def unverified_agents() -> dict[str, UnverifiedAgent]:
    """Return the agents of the registry without a profile of their own, and others that are well known."""
    agents = registry()
    found = {
        # The registry lists the language server of Copilot; its CLI speaks the protocol too.
        "copilot": UnverifiedAgent(("copilot", "--acp"), "run `copilot` once and sign in with /login"),
        "cline": UnverifiedAgent(("cline", "--acp"), "run `cline auth`"),
        "pi": UnverifiedAgent(
            ("pi-acp",), "run `pi` once and sign in with /login, or set the key of a provider"
        ),
    }
    for name, (key, sign_in) in _OF_REGISTRY.items():
        entry = agents[key]
        found[name] = UnverifiedAgent(entry.command, sign_in, entry.env)
    return found


_OF_REGISTRY = {
    "auggie": ("auggie", "run `auggie login`"),
    "droid": ("factory-droid", "run `droid` once and sign in, or set FACTORY_API_KEY"),
    "kimi": ("kimi", "run `kimi` once and sign in with /login"),
    "mistral-vibe": ("mistral-vibe", "run `vibe --setup`, or set MISTRAL_API_KEY"),
    "qoder": ("qoder", "run `qodercli` once and sign in with /login"),
}
"""The name of a runner, and the entry of the registry with the remedy if the agent requires a sign-in."""


def refuse_to_ask(run: GuardedRun) -> Extras:
    """Refuse a run that must ask: whether such an agent asks is not known, and some never do."""
    if run.must_ask:
        raise ValueError(
            "the sidecar does not know how to make this agent ask before it acts; use another agent"
        )
    return Extras()
