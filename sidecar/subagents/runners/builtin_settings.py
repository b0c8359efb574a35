"""Read the model settings of the built-in agent from the environment. Each error names the variable."""

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
"""Set to 1 by the runner if the user trusts the workspace, which includes its rules for agents."""
CONTEXT_WINDOW = "SIDECAR_AGENT_CONTEXT_WINDOW"
VISIBLE = "SIDECAR_AGENT_VISIBLE_VARIABLES"

_KEYS: Mapping[str, str] = {"openai": "OPENAI_API_KEY", "anthropic": "ANTHROPIC_API_KEY"}
_MODEL = re.compile(r"[A-Za-z0-9][\w.:/@+-]*", re.ASCII)
"""Matches names that a command line cannot mistake for an option and that are safe in a URL."""
_BASE_URLS: Mapping[str, str] = {"openai": "OPENAI_BASE_URL", "anthropic": "ANTHROPIC_BASE_URL"}


class SettingsError(Exception):
    """A setting is missing or invalid. The text names the variable and the remedy."""


@dataclass(frozen=True, kw_only=True)
class BuiltinSettings:
    """The model to use, its server and its key.

    If `base_url` is None, the provider's own server is used. `context_window` is in tokens; None selects the
    known size for the model. `is_trusted` lets the agent send the workspace's rules to the model.
    """

    provider: Provider
    model: str | None
    base_url: str | None
    key_variable: str
    key: str = field(repr=False)
    context_window: int | None = None
    is_trusted: bool = False


def read_settings(environ: Mapping[str, str], model: str | None = None) -> BuiltinSettings:
    """Return the settings. `model`, from a definition, overrides the environment. Raises SettingsError."""
    provider = _provider(environ)
    key_variable = environ.get(KEY_VARIABLE) or _KEYS[provider]
    key = environ.get(key_variable)
    if not key:
        raise SettingsError(
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
    """Return the name of the model. Raises SettingsError if none is set."""
    if settings.model is None:
        raise SettingsError(f"no model is set; set {MODEL}, or `model` in the definition")
    return settings.model


def has_key(environ: Mapping[str, str]) -> bool:
    """Return whether a provider's key, or the name of another variable that holds a key, is set."""
    return any(environ.get(name) for name in (*_KEYS.values(), KEY_VARIABLE))


def _model(name: str | None) -> str | None:
    if name is not None and not _MODEL.fullmatch(name):
        raise SettingsError(
            f"{name!r} is not a valid model name: start with a letter or digit, and use only letters, digits "
            "and . : / @ + - _"
        )
    return name


def _base_url(environ: Mapping[str, str], provider: Provider) -> str | None:
    url = environ.get(BASE_URL) or environ.get(_BASE_URLS[provider]) or None
    if url is not None and not url.startswith(("http://", "https://")):
        raise SettingsError(f"{BASE_URL} must be an http or https URL, not {url!r}")
    return url


def _context_window(tokens: str | None) -> int | None:
    if not tokens:
        return None
    if not re.fullmatch("[1-9][0-9]{3,8}", tokens):
        raise SettingsError(f"{CONTEXT_WINDOW} must be a number of tokens, at least 1000, not {tokens!r}")
    return int(tokens)


def _provider(environ: Mapping[str, str]) -> Provider:
    named = environ.get(PROVIDER)
    known: tuple[Provider, ...] = get_args(Provider)
    if named:
        for provider in known:
            if provider == named:
                return provider
        raise SettingsError(f"{PROVIDER} is {named!r}; use one of: {', '.join(known)}")
    with_key = [provider for provider in known if environ.get(_KEYS[provider])]
    if len(with_key) == 1:
        return with_key[0]
    found = "both" if with_key else "neither"
    keys = (" and " if with_key else " nor ").join(_KEYS.values())
    is_set = "are set" if with_key else "is set"
    raise SettingsError(f"no provider: {found} {keys} {is_set}; set {PROVIDER} to {' or '.join(known)}")
