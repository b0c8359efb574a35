import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic_ai.exceptions import (
    ModelAPIError,
    ModelConnectionError,
    ModelHTTPError,
    ModelNotFoundError,
    ModelOverloadedError,
    ModelQuotaExceededError,
    ModelRateLimitError,
    ModelRequestRejectedError,
    ModelServerError,
    UnexpectedModelBehavior,
)

from sidecar.subagents.runners.builtin.model.failures import failure_of, is_too_long, kind_of, limit_of
from sidecar.subagents.runners.builtin.model.requests import MAX_TRIES, pause


def http(status: int, category: object = None, message: str = "why", **more: object) -> ModelHTTPError:
    return ModelHTTPError.for_category(
        category,  # type: ignore[arg-type]
        status_code=status,
        model_name="m",
        body={"error": {"message": message}},
        **more,  # type: ignore[arg-type]
    )


def rejected(message: str) -> ModelHTTPError:
    return http(400, ModelRequestRejectedError, message)


@pytest.mark.parametrize(
    ("error", "kind", "text"),
    [
        (http(429, ModelRateLimitError), "rateLimit", "status 429: why; try again later"),
        (http(429, ModelQuotaExceededError), "rateLimit", "check the limits of the account"),
        (http(529, ModelOverloadedError), "overloaded", "status 529"),
        (http(500, ModelServerError), "overloaded", "status 500: why; try again later"),
        (http(404, ModelNotFoundError), "modelNotFound", "check the name of the model"),
        (http(418), "other", "status 418: why"),
        (ModelConnectionError("m", "reset"), "network", "connection to the model's server failed: reset"),
        (ModelAPIError("m", "cut"), "network", "answer of the model cannot be used: cut"),
        (ModelAPIError("m", "odd", in_stream=True), "other", "answer of the model cannot be used: odd"),
        (UnexpectedModelBehavior("odd"), "other", "answer of the model cannot be used: odd"),
    ],
)
def test_every_failure_has_a_kind_a_cause_and_a_remedy(error: Exception, kind: str, text: str) -> None:
    assert kind_of(error) == kind
    assert isinstance(error, ModelAPIError | UnexpectedModelBehavior)
    failure = failure_of(error)
    assert text in str(failure)
    assert failure.status == getattr(error, "status_code", None)


@pytest.mark.parametrize(
    ("message", "limit"),
    [
        (
            "This model's maximum context length is 8192 tokens. However, your messages resulted in 10,234 "
            "tokens. Please reduce the length of the messages.",
            8192,
        ),
        ("prompt is too long: 208310 tokens > 200000 maximum", 200_000),
        (
            "input length and `max_tokens` exceed context limit: 190000 + 21333 > 200000, decrease it",
            200_000,
        ),
        ("the request exceeds the available context size (4096 tokens), try increasing it", 4096),
        ("The input token count (40000) exceeds the maximum number of tokens allowed (32768).", 32_768),
        ("However, the model is loaded with context length of only 4096 tokens", 4096),
        ("Your input exceeds the context window of this model. Please adjust your input.", None),
        ("Input is too long for requested model.", None),
        ("This model's maximum prompt length is 131072 but the request contains 140001 tokens.", 131_072),
        ("Range of input length should be [1, 30720]", 30_720),
        ("prompt token count of 130412 exceeds the limit of 128000", 128_000),
        ("`inputs` tokens + `max_new_tokens` must be <= 8193. Given: 9000", 8193),
        ("Prompt contains 40000 tokens, too large for model with 32768 maximum context length", 32_768),
    ],
)
def test_messages_of_many_servers_identify_a_request_that_is_too_long(
    message: str, limit: int | None
) -> None:
    assert is_too_long(rejected(message))
    assert kind_of(rejected(message)) == "contextLength"
    assert limit_of(rejected(message)) == limit


def test_other_refusals_do_not_count_as_too_long() -> None:
    assert not is_too_long(rejected("messages: roles must alternate"))
    assert not is_too_long(http(500, ModelServerError, "no context window"))
    assert is_too_long(http(413, None, "Request exceeds the maximum size"))


@given(st.text(), st.sampled_from([400, 401, 413, 422, 429, 500]))
def test_any_message_of_a_server_can_be_read(message: str, status: int) -> None:
    error = http(status, None, message)
    assert kind_of(error)
    limit = limit_of(error)
    assert limit is None or limit >= 0
    assert len(str(failure_of(error))) < 3_000


def test_a_short_wait_requested_by_the_server_is_used() -> None:
    assert pause(http(429, ModelRateLimitError, headers={"Retry-After": "7"}), 1) == 7
    assert pause(http(429, ModelRateLimitError, headers={"Retry-After": "3600"}), 1) is None


def test_pauses_grow_and_end() -> None:
    pauses = [pause(ModelConnectionError("m", "reset"), tries) for tries in range(1, MAX_TRIES + 1)]
    assert pauses[-1] is None
    known = [seconds for seconds in pauses if seconds is not None]
    assert len(known) == MAX_TRIES - 1
    assert known == sorted(known)
    assert 0.75 <= known[0] <= 1


@pytest.mark.parametrize(
    "error", [http(401), http(400, ModelRequestRejectedError), http(402, ModelQuotaExceededError)]
)
def test_a_permanent_failure_is_not_retried(error: Exception) -> None:
    assert pause(error, 1) is None
