"""Build the model that the settings name, and import only its provider's library."""

from pydantic_ai.models import Model
from pydantic_ai.settings import ModelSettings

from sidecar.subagents.runners.builtin_settings import BuiltinSettings, required_model

_SETTINGS = ModelSettings(cache=True, max_retries=0)
"""Disable retries in the providers' libraries: `requests` retries and reports it."""


def build_model(settings: BuiltinSettings) -> Model:
    """Return the model. Raises SettingsError if none is named. Importing its library takes a second."""
    name = required_model(settings)
    return _anthropic(settings, name) if settings.provider == "anthropic" else _openai(settings, name)


def _anthropic(settings: BuiltinSettings, name: str) -> Model:
    from pydantic_ai.models.anthropic import AnthropicModel
    from pydantic_ai.providers.anthropic import AnthropicProvider

    provider = AnthropicProvider(api_key=settings.key, base_url=settings.base_url)
    return AnthropicModel(name, provider=provider, settings=_SETTINGS)


def _openai(settings: BuiltinSettings, name: str) -> Model:
    """Use chat completions, which every compatible server supports."""
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.profiles.openai import OpenAIModelProfile
    from pydantic_ai.providers.openai import OpenAIProvider
    from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider

    # Without this, an incomplete stream would count as a complete answer.
    profile = OpenAIModelProfile(openai_chat_streaming_requires_finish_reason=True)
    if settings.base_url is None:
        return OpenAIChatModel(
            name, provider=OpenAIProvider(api_key=settings.key), profile=profile, settings=_SETTINGS
        )
    compatible = OpenAICompatibleProvider("compatible", base_url=settings.base_url, api_key=settings.key)
    return OpenAIChatModel(name, provider=compatible, profile=profile, settings=_SETTINGS)
