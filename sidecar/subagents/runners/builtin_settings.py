"""What the built-in agent has to know of its model: read from the environment, every fault named."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

Provider = Literal["openai", "anthropic"]

PROVIDER = "SIDECAR_AGENT_PROVIDER"
MODEL = "SIDECAR_AGENT_MODEL"
BASE_URL = "SIDECAR_AGENT_BASE_URL"
KEY_VARIABLE = "SIDECAR_AGENT_KEY_VARIABLE"

_KEYS: Mapping[str, str] = {"openai": "OPENAI_API_KEY", "anthropic": "ANTHROPIC_API_KEY"}
_BASE_URLS: Mapping[str, str] = {"openai": "OPENAI_BASE_URL", "anthropic": "ANTHROPIC_BASE_URL"}


class SettingsFault(Exception):
    """Something is missing or wrong; the text names the variable and what to put there."""


@dataclass(frozen=True, kw_only=True)
class BuiltinSettings:
    """Which model, where, and with which key; `base_url` None is the provider's own."""

    provider: Provider
    model: str | None
    base_url: str | None
    key_variable: str
    key: str = field(repr=False)


def read_settings(environ: Mapping[str, str], model: str | None = None) -> BuiltinSettings:
    """Return the settings; `model`, from a definition, wins over the environment's. Raises SettingsFault."""
    provider = _provider(environ)
    key_variable = environ.get(KEY_VARIABLE) or _KEYS[provider]
    key = environ.get(key_variable)
    if not key:
        raise SettingsFault(
            f"no key: {key_variable} is not set; set it, or name another variable in {KEY_VARIABLE}"
        )
    base_url = environ.get(BASE_URL) or environ.get(_BASE_URLS[provider]) or None
    if base_url is not None and not base_url.startswith(("http://", "https://")):
        raise SettingsFault(f"{BASE_URL} is no http or https address: {base_url!r}")
    return BuiltinSettings(
        provider=provider,
        model=model or environ.get(MODEL) or None,
        base_url=base_url,
        key_variable=key_variable,
        key=key,
    )


def required_model(settings: BuiltinSettings) -> str:
    """Return the model's name. Raises SettingsFault if none is named anywhere."""
    if settings.model is None:
        raise SettingsFault(f"no model: set {MODEL}, or model: in the definition")
    return settings.model


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
