"""What the built-in agent needs to know about its model: read from the environment, every fault named."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

Provider = Literal["openai", "anthropic"]

PROVIDER = "SIDECAR_AGENT_PROVIDER"
MODEL = "SIDECAR_AGENT_MODEL"
BASE_URL = "SIDECAR_AGENT_BASE_URL"
KEY_VARIABLE = "SIDECAR_AGENT_KEY_VARIABLE"
TRUSTED = "SIDECAR_AGENT_TRUSTED"
"""Set to 1 by the runner where the user trusts the workspace, and with it the project's rules for agents."""
CONTEXT_WINDOW = "SIDECAR_AGENT_CONTEXT_WINDOW"
VISIBLE = "SIDECAR_AGENT_VISIBLE_VARIABLES"

_KEYS: Mapping[str, str] = {"openai": "OPENAI_API_KEY", "anthropic": "ANTHROPIC_API_KEY"}
_MODEL = re.compile(r"[A-Za-z0-9][\w.:/@+-]*", re.ASCII)
"""What no command line can take for an option, and no URL for more than one word."""
_BASE_URLS: Mapping[str, str] = {"openai": "OPENAI_BASE_URL", "anthropic": "ANTHROPIC_BASE_URL"}


class SettingsFault(Exception):
    """Something is missing or wrong; the text names the variable and what to put there."""


@dataclass(frozen=True, kw_only=True)
class BuiltinSettings:
    """Which model, where, and with which key.

    `base_url` None means the provider's own. `context_window` is in tokens; None means what is known of the
    model. `is_trusted` allows the model to get the rules in the workspace.
    """

    provider: Provider
    model: str | None
    base_url: str | None
    key_variable: str
    key: str = field(repr=False)
    context_window: int | None = None
    is_trusted: bool = False


def read_settings(environ: Mapping[str, str], model: str | None = None) -> BuiltinSettings:
    """Return the settings; `model`, from a definition, wins over the environment. Raises SettingsFault."""
    provider = _provider(environ)
    key_variable = environ.get(KEY_VARIABLE) or _KEYS[provider]
    key = environ.get(key_variable)
    if not key:
        raise SettingsFault(
            f"no key: {key_variable} is not set; set it, or name another variable in {KEY_VARIABLE}"
        )
    return BuiltinSettings(
        provider=provider,
        model=_model(model or environ.get(MODEL) or None),
        base_url=_base_url(environ, provider),
        key_variable=key_variable,
        key=key,
        context_window=_context_window(environ.get(CONTEXT_WINDOW)),
        is_trusted=environ.get(TRUSTED) == "1",
    )


def required_model(settings: BuiltinSettings) -> str:
    """Return the name of the model. Raises SettingsFault if none is set."""
    if settings.model is None:
        raise SettingsFault(f"no model: set {MODEL}, or model: in the definition")
    return settings.model


def has_key(environ: Mapping[str, str]) -> bool:
    """Return whether a key of a known provider, or the name of another variable for one, is set."""
    return any(environ.get(name) for name in (*_KEYS.values(), KEY_VARIABLE))


def _model(name: str | None) -> str | None:
    if name is not None and not _MODEL.fullmatch(name):
        raise SettingsFault(
            f"model {name!r} cannot be the name of a model: use letters, digits and any of . : / @ + - _, "
            "and begin with a letter or a digit"
        )
    return name


def _base_url(environ: Mapping[str, str], provider: Provider) -> str | None:
    url = environ.get(BASE_URL) or environ.get(_BASE_URLS[provider]) or None
    if url is not None and not url.startswith(("http://", "https://")):
        raise SettingsFault(f"{BASE_URL} must be an http or https address, not {url!r}")
    return url


def _context_window(tokens: str | None) -> int | None:
    if not tokens:
        return None
    if not re.fullmatch("[1-9][0-9]{3,8}", tokens):
        raise SettingsFault(f"{CONTEXT_WINDOW} must be a number of tokens from 1000, not {tokens!r}")
    return int(tokens)


def _provider(environ: Mapping[str, str]) -> Provider:
    named = environ.get(PROVIDER)
    known: tuple[Provider, ...] = get_args(Provider)
    if named:
        for provider in known:
            if provider == named:
                return provider
        raise SettingsFault(f"{PROVIDER} is {named!r}; known are {', '.join(known)}")
    with_key = [provider for provider in known if environ.get(_KEYS[provider])]
    if len(with_key) == 1:
        return with_key[0]
    found = "both are set" if with_key else "neither is set"
    keys = " and ".join(_KEYS.values())
    raise SettingsFault(f"no provider: of {keys} {found}; set {PROVIDER} to {' or '.join(known)}")
