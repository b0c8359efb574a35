import json

import msgspec
import pytest

from sidecar.history.stores.task_folders.products import PRODUCTS
from sidecar.history.stores.task_folders.records import UiMessage, Usage
from sidecar.history.stores.task_folders.structural.usages import Usages


class Counted(list[UiMessage]):
    """Messages that count how often one is read."""

    reads = 0

    def __getitem__(self, place):  # type: ignore[no-untyped-def]
        self.reads += 1
        return super().__getitem__(place)


def usages(*texts: str) -> tuple[Usages, Counted]:
    data = json.dumps([{"say": "api_req_started", "text": text} for text in texts]).encode()
    messages = Counted(msgspec.json.decode(data, type=list[UiMessage]))
    return Usages(messages, range(len(texts)), data), messages


def test_a_record_is_decoded_when_it_is_needed_and_once() -> None:
    found, messages = usages('{"tokensIn":1}', '{"tokensIn":2}', "no record")
    assert [*found.with_any(["api_protocol"])] == []
    assert messages.reads == 0
    assert [found.get(1), found.get(1), found.get(2), found.get(3)] == [
        Usage(tokens_in=2),
        *[found.get(1)],
        None,
        None,
    ]
    assert found.all() == {0: Usage(tokens_in=1), 1: Usage(tokens_in=2)}
    assert found.all() is found.all()
    assert messages.reads == 3


@pytest.mark.parametrize("text", ['{"apiProtocol":"openai"}', '{"\\u0061piProtocol":"openai"}'])
def test_a_field_is_found_however_its_name_is_spelt(text: str) -> None:
    found, _ = usages('{"tokensIn":1}', text, '{"apiProtocol":null}')
    assert [*found.with_any(["inference_provider", "api_protocol"])] == [Usage(api_protocol="openai")]


def test_what_marks_a_product_is_a_field_of_usage_records() -> None:
    marks = {field for it in PRODUCTS for field in (*it.marks.usage, *it.marks.weak_usage)}
    assert marks
    assert marks <= set(Usage.__struct_fields__)
