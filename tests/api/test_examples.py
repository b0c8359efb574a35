"""The examples of the reference are messages that the protocol allows."""

import json
from typing import Any

import msgspec
import pytest

from scripts.protocol.markdown import EXAMPLES
from sidecar.api.methods import METHODS

RECORDED: dict[str, dict[str, Any]] = json.loads(EXAMPLES.read_text())


def test_every_method_has_an_example() -> None:
    assert RECORDED.keys() == METHODS.keys()


@pytest.mark.parametrize("method", METHODS)
def test_an_example_fits_the_types_of_its_method(method: str) -> None:
    example, spec = RECORDED[method], METHODS[method]

    msgspec.convert(example["params"], spec.params)
    if spec.result is not None:
        result = msgspec.convert(example["result"], spec.result)
        assert msgspec.to_builtins(result).keys() == example["result"].keys()


def test_examples_name_no_path_of_the_machine_that_recorded_them() -> None:
    assert "/tmp" not in EXAMPLES.read_text()
