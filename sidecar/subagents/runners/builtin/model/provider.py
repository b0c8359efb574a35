"""The model that the settings name; only its provider's library is imported."""

from pydantic_ai.models import Model

from sidecar.subagents.runners.builtin_settings import BuiltinSettings, required_model


def build_model(settings: BuiltinSettings) -> Model:
    """Return the model. Raises SettingsFault if none is named. Importing its library takes a second."""
    name = required_model(settings)
    return _anthropic(settings, name) if settings.provider == "anthropic" else _openai(settings, name)


def _anthropic(settings: BuiltinSettings, name: str) -> Model:
    from pydantic_ai.models.anthropic import AnthropicModel
    from pydantic_ai.providers.anthropic import AnthropicProvider

    return AnthropicModel(name, provider=AnthropicProvider(api_key=settings.key, base_url=settings.base_url))


def _openai(settings: BuiltinSettings, name: str) -> Model:
    """Speak chat completions, which every compatible server knows."""
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider
    from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider

    if settings.base_url is None:
        return OpenAIChatModel(name, provider=OpenAIProvider(api_key=settings.key))
    provider = OpenAICompatibleProvider("compatible", base_url=settings.base_url, api_key=settings.key)
    return OpenAIChatModel(name, provider=provider)
