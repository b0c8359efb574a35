import pytest

from sidecar.subagents.runners.builtin_settings import SettingsError, read_settings, required_model


def test_one_key_determines_the_provider() -> None:
    settings = read_settings({"ANTHROPIC_API_KEY": "k", "SIDECAR_AGENT_MODEL": "m"})
    assert (settings.provider, settings.key, settings.base_url) == ("anthropic", "k", None)
    assert required_model(settings) == "m"


def test_everything_can_be_named() -> None:
    environ = {
        "SIDECAR_AGENT_PROVIDER": "openai",
        "SIDECAR_AGENT_KEY_VARIABLE": "MY_KEY",
        "MY_KEY": "mine",
        "OPENAI_API_KEY": "other",
        "ANTHROPIC_API_KEY": "other",
        "SIDECAR_AGENT_BASE_URL": "http://127.0.0.1:8080/v1",
        "OPENAI_BASE_URL": "http://elsewhere",
    }
    settings = read_settings(environ, "acme/of-the-definition:7b")
    assert (settings.provider, settings.key, settings.key_variable) == ("openai", "mine", "MY_KEY")
    assert (settings.base_url, settings.model) == ("http://127.0.0.1:8080/v1", "acme/of-the-definition:7b")


@pytest.mark.parametrize(
    ("environ", "error"),
    [
        ({}, "neither OPENAI_API_KEY nor ANTHROPIC_API_KEY is set; set SIDECAR_AGENT_PROVIDER"),
        (
            {"OPENAI_API_KEY": "a", "ANTHROPIC_API_KEY": "b"},
            "both OPENAI_API_KEY and ANTHROPIC_API_KEY are set; set",
        ),
        ({"SIDECAR_AGENT_PROVIDER": "acme"}, "'acme'; use one of: openai, anthropic"),
        ({"SIDECAR_AGENT_PROVIDER": "openai"}, "OPENAI_API_KEY is not set"),
        ({"OPENAI_API_KEY": "a", "SIDECAR_AGENT_KEY_VARIABLE": "MINE"}, "MINE is not set"),
        ({"OPENAI_API_KEY": "a", "OPENAI_BASE_URL": "localhost:80"}, "must be an http or https URL"),
        ({"OPENAI_API_KEY": "a", "SIDECAR_AGENT_CONTEXT_WINDOW": "many"}, "number of tokens, at least 1000"),
        ({"OPENAI_API_KEY": "a", "SIDECAR_AGENT_CONTEXT_WINDOW": "٨٠٠٠"}, "number of tokens, at least 1000"),
    ],
)
def test_an_error_names_the_missing_or_invalid_setting(environ: dict[str, str], error: str) -> None:
    with pytest.raises(SettingsError, match=error):
        read_settings(environ)


@pytest.mark.parametrize("model", ["--settings-from=0", "-m", "a b", "a\nb", "ä", "a;b", "/etc/passwd"])
def test_an_invalid_model_name_is_refused(model: str) -> None:
    with pytest.raises(SettingsError, match="is not a valid model name"):
        read_settings({"OPENAI_API_KEY": "a"}, model)
    with pytest.raises(SettingsError, match="is not a valid model name"):
        read_settings({"OPENAI_API_KEY": "a", "SIDECAR_AGENT_MODEL": model})


def test_the_context_window_can_be_set() -> None:
    environ = {"OPENAI_API_KEY": "a", "SIDECAR_AGENT_CONTEXT_WINDOW": "32768"}
    assert read_settings(environ).context_window == 32768


def test_a_missing_model_is_refused() -> None:
    settings = read_settings({"OPENAI_API_KEY": "a"})
    with pytest.raises(SettingsError, match="set SIDECAR_AGENT_MODEL"):
        required_model(settings)


def test_the_key_is_not_shown() -> None:
    assert "topsecret" not in repr(read_settings({"OPENAI_API_KEY": "topsecret"}))
