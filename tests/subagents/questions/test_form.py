"""Forms of agents: what is read, and that the check of answers agrees with a library for JSON Schema."""

import asyncio
import subprocess
import sys
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecar.api.errors import InvalidParams
from sidecar.subagents.questions.choices import UnsupportedForm
from sidecar.subagents.questions.content import checked
from sidecar.subagents.questions.form import read_form
from sidecar.subagents.questions.patterns import MEMORY_BYTES, check_patterns

Json = dict[str, Any]

TEXTS = st.text(st.characters(codec="utf-8"), max_size=12)
VALUES = st.sampled_from(["a", "b", "c", "a b", "ä", ""])
SIZES = st.integers(0, 6)
NUMBERS = st.integers(-20, 20) | st.floats(-20, 20, width=32)


def field(kind: str, **members: st.SearchStrategy[Any]) -> st.SearchStrategy[Json]:
    return st.fixed_dictionaries({"type": st.just(kind)}, optional=members)


def titled(values: st.SearchStrategy[str]) -> st.SearchStrategy[list[Json]]:
    option = st.fixed_dictionaries({"const": values, "title": TEXTS})
    return st.lists(option, min_size=1, max_size=4, unique_by=lambda each: each["const"])


CHOICES = st.lists(VALUES, min_size=1, max_size=4, unique=True)
FIELDS = st.one_of(
    field("boolean", title=TEXTS),
    field("number", minimum=NUMBERS, maximum=NUMBERS),
    field("integer", minimum=NUMBERS, maximum=NUMBERS),
    field("string", minLength=SIZES, maxLength=SIZES, description=TEXTS),
    field("string", format=st.just("date")),
    st.fixed_dictionaries({"type": st.just("string"), "enum": CHOICES}),
    st.fixed_dictionaries({"type": st.just("string"), "oneOf": titled(VALUES)}),
    st.fixed_dictionaries(
        {
            "type": st.just("array"),
            "items": st.fixed_dictionaries({"type": st.just("string"), "enum": CHOICES}),
        },
        optional={"minItems": SIZES, "maxItems": SIZES},
    ),
    st.fixed_dictionaries(
        {"type": st.just("array"), "items": st.fixed_dictionaries({"anyOf": titled(VALUES)})},
        optional={"minItems": SIZES, "maxItems": SIZES},
    ),
)
NAMES = st.sampled_from(["one", "two", "__proto__", "with space", "größe"])
ENTRIES = st.one_of(
    st.booleans(),
    NUMBERS,
    VALUES,
    TEXTS,
    st.lists(VALUES, max_size=4),
    st.sampled_from(["2026-02-28", "2026-02-30", "0000-01-01", "2026-2-3", "20260203"]),
    st.none(),
)
SCHEMAS = st.fixed_dictionaries(
    {"type": st.just("object"), "properties": st.dictionaries(NAMES, FIELDS, max_size=4)}
).flatmap(
    lambda schema: st.lists(st.sampled_from([*schema["properties"], "one"]), max_size=3).map(
        lambda names: schema | {"required": [name for name in names if name in schema["properties"]]}
    )
)


def fits(schema: Json, content: Json) -> bool:
    """Return what the library says about the schema as the agent sent it."""
    strict = {**schema, "additionalProperties": False}
    checker = jsonschema.Draft202012Validator(strict, format_checker=jsonschema.FormatChecker(["date"]))
    return bool(checker.is_valid(content))


def accepts(schema: Json, content: Json) -> bool:
    try:
        checked(read_form(schema), content)
    except InvalidParams:
        return False
    return True


@given(SCHEMAS, st.dictionaries(NAMES, ENTRIES, max_size=4))
def test_the_check_agrees_with_the_library_on_what_fits(schema: Json, content: Json) -> None:
    assert accepts(schema, content) == fits(schema, content)


@given(SCHEMAS)
def test_a_form_that_is_read_again_stays_the_same(schema: Json) -> None:
    form = read_form(schema)
    assert read_form(msgspec.to_builtins(form)) == form


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
        lambda inner: (
            st.lists(inner, max_size=4)
            | st.dictionaries(
                st.sampled_from(
                    ["type", "properties", "required", "enum", "oneOf", "items", "anyOf", "const", "x"]
                )
                | st.text(max_size=4),
                inner,
                max_size=5,
            )
        ),
        max_leaves=25,
    )
)
def test_any_json_is_a_form_or_refused_with_a_reason(raw: Any) -> None:
    try:
        form = read_form(raw)
    except UnsupportedForm as error:
        assert str(error)
    else:
        assert set(form.required) <= form.properties.keys()


@pytest.mark.parametrize(
    ("format_", "right", "wrong"),
    [
        ("email", ["a@b.example", "a.b+c@d"], ["a", "a@", "@b", "a b@c", "a@b@c", "a@b\n"]),
        (
            "uri",
            ["https://a.example/x?y#z", "mailto:a@b"],
            ["a.example", "://x", "http:", "http://a b", "x:\n"],
        ),
        ("date", ["2024-02-29"], ["2023-02-29", "2024-2-29", "2024-02-29T00:00:00Z", "٢٠٢٤-٠٢-٢٩"]),
        (
            "date-time",
            ["2026-03-14T09:30:00Z", "2026-03-14t09:30:00.5+01:00"],
            ["2026-03-14 09:30:00Z", "2026-03-14T25:00:00Z", "2026-03-14T09:30:00"],
        ),
    ],
)
def test_formats_are_checked(format_: str, right: list[str], wrong: list[str]) -> None:
    schema = {"properties": {"x": {"type": "string", "format": format_}}}
    assert [text for text in right if not accepts(schema, {"x": text})] == []
    assert [text for text in wrong if accepts(schema, {"x": text})] == []


def test_names_of_an_enum_become_titles_and_defaults_that_do_not_fit_are_dropped() -> None:
    raw = {"type": "string", "enum": ["r", "g"], "enumNames": ["Red"], "default": "blue"}
    color = read_form({"properties": {"color": raw}}).properties["color"]
    assert msgspec.to_builtins(color) == {
        "type": "string",
        "oneOf": [{"const": "r", "title": "Red"}, {"const": "g", "title": "g"}],
    }


def test_texts_are_cleaned_and_cut() -> None:
    raw = {"title": "\x1b[31mred\u202e\n", "description": "d" * 5_000_000}
    form = read_form({"properties": {"x": {"type": "string", **raw}}})
    assert form.properties["x"].title == "[31mred"
    assert len(form.properties["x"].description or "") == 2_000


@pytest.mark.parametrize("value", [2**53, -(2**53), 1e30, 10**400])
def test_a_whole_number_that_some_programs_would_change_is_refused(value: float) -> None:
    form = read_form({"properties": {"x": {"type": "integer"}}})
    with pytest.raises(InvalidParams, match=r"content\.x: must be between -9007199254740991 and 9007199254"):
        checked(form, {"x": value})
    assert checked(form, {"x": 2.0**53 - 1}) == {"x": 2**53 - 1}


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_what_json_cannot_write_is_not_a_number(value: float) -> None:
    form = read_form({"properties": {"x": {"type": "number"}}})
    with pytest.raises(InvalidParams, match=r"content\.x: must be a number"):
        checked(form, {"x": value})


@pytest.mark.parametrize("value", [{"x": 5}, {"x": "b"}, {"y": "a"}])
def test_an_error_names_the_member(value: Json) -> None:
    form = read_form({"properties": {"x": {"type": "string", "enum": ["a"]}}})
    with pytest.raises(InvalidParams, match=rf"^content\.{next(iter(value))}: "):
        checked(form, value)


async def test_a_pattern_that_takes_forever_does_not_stop_anything_else() -> None:
    form = read_form({"properties": {"x": {"type": "string", "pattern": "^(a+)+$"}}})
    ticks = 0

    async def tick() -> None:
        nonlocal ticks
        while True:
            ticks += 1
            await asyncio.sleep(0.01)

    ticking = asyncio.create_task(tick())
    await check_patterns(form, {"x": "a" * 60 + "!"})
    ticking.cancel()
    assert ticks > 10


async def test_a_pattern_in_another_dialect_is_not_checked() -> None:
    form = read_form({"properties": {"x": {"type": "string", "pattern": "(?<year>\\p{L}"}}})
    await check_patterns(form, {"x": "anything"})


_CHECK = """
import asyncio, resource
from sidecar.subagents.questions.form import read_form
from sidecar.subagents.questions.patterns import check_patterns
pattern = "(" * 333 + "a" + ")*" * 333
form = read_form({"properties": {"x": {"type": "string", "pattern": pattern}}})
asyncio.run(check_patterns(form, {"x": "a"}))
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits the memory")
def test_a_pattern_does_not_take_more_memory_than_the_limit() -> None:
    # In a process of its own, which has no other children whose memory would count.
    found = subprocess.run([sys.executable, "-c", _CHECK], capture_output=True, text=True, check=True)
    assert int(found.stdout) <= MEMORY_BYTES


async def test_an_error_shows_a_pattern_without_control_characters() -> None:
    form = read_form({"properties": {"x": {"type": "string", "pattern": "^\x1b[1]$"}}})
    with pytest.raises(InvalidParams, match=r"content\.x: must match \^ \[1\]\$"):
        await check_patterns(form, {"x": "a"})
