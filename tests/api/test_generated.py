"""What is generated from the wire's types is current, and says what the wire does."""

import json
from typing import Any

import msgspec
import pytest

from scripts.protocol import json_schema, manifest, typescript
from scripts.protocol.__main__ import stale_files
from scripts.protocol.model import Alias, Choice, Object
from scripts.protocol.read import read_protocol
from sidecar.api import errors
from sidecar.api.base import Params
from sidecar.api.methods import METHODS
from sidecar.api.runs import async_tasks, events
from sidecar.tools.task import SubagentTool


@pytest.fixture(scope="module")
def schema() -> dict[str, Any]:
    decoded: dict[str, Any] = json.loads(json_schema.render(read_protocol()))
    return decoded


def test_generated_files_are_current() -> None:
    assert stale_files() == [], "run scripts/generate"


def test_rendering_twice_gives_the_same_text() -> None:
    assert typescript.render(read_protocol()) == typescript.render(read_protocol())


def test_every_reference_of_the_schema_resolves(schema: dict[str, Any]) -> None:
    references = {part.split('"')[0] for part in json.dumps(schema).split('"#/$defs/')[1:]}
    assert references <= schema["$defs"].keys()


def test_every_method_is_described(schema: dict[str, Any]) -> None:
    assert schema["methods"].keys() == METHODS.keys()


def test_every_error_class_has_its_code_in_the_schema(schema: dict[str, Any]) -> None:
    for cls in errors.SidecarError.__subclasses__():
        assert schema["errors"][str(cls.code)].startswith(cls.__name__)


def test_parameters_refuse_unknown_members_and_results_do_not(schema: dict[str, Any]) -> None:
    assert schema["$defs"]["LaunchParams"]["additionalProperties"] is False
    assert "additionalProperties" not in schema["$defs"]["TaskInfo"]


def test_a_member_that_is_always_sent_is_required(schema: dict[str, Any]) -> None:
    sent = json.loads(msgspec.json.encode(async_tasks.Progress(last_activity_at=1)))
    assert sorted(schema["$defs"]["Progress"]["required"]) == sorted(sent)


def test_an_unknown_value_of_a_record_is_absent_not_null(schema: dict[str, Any]) -> None:
    task = schema["$defs"]["AsyncTask"]
    assert task["properties"]["launchedAt"]["type"] == "integer"
    assert "launchedAt" not in task["required"]


def test_parameters_show_their_defaults(schema: dict[str, Any]) -> None:
    assert schema["$defs"]["ListParams"]["properties"]["limit"]["default"] == 200


def test_events_are_a_union_distinguished_by_type(schema: dict[str, Any]) -> None:
    names = [option["$ref"].rpartition("/")[2] for option in schema["$defs"]["TaskEvent"]["anyOf"]]
    words = [word for name in names for word in schema["$defs"][name]["properties"]["type"]["enum"]]
    assert sorted(words) == sorted(set(words))
    assert {"state", "message", "tool", "usage", "emit", "permission", "result", "log"} <= set(words)


def test_a_declared_event_encodes_to_the_shape_of_the_wire() -> None:
    event = events.MessageEvent(seq=1, ts=5, message_id="m", text="hi")
    assert msgspec.to_builtins(event) == {
        "type": "message",
        "seq": 1,
        "ts": 5,
        "messageId": "m",
        "text": "hi",
    }


def test_choices_keep_the_order_of_their_declaration() -> None:
    statuses = next(item for item in read_protocol().types if item.name == "AsyncStatus")
    assert isinstance(statuses, Alias)
    assert statuses.type == Choice(async_tasks.STATUSES)


def test_only_parameters_are_closed() -> None:
    closed = {item.name for item in read_protocol().types if isinstance(item, Object) and item.closed}
    assert {spec.params.__name__ for spec in METHODS.values() if issubclass(spec.params, Params)} <= closed


def test_typescript_maps_methods_to_their_types() -> None:
    text = typescript.render(read_protocol())
    assert '"agent/triggerTurn": { params: TriggerTurn; result: TriggerAnswer };' in text
    assert "shutdown: { params: ShutdownParams; result: null };" in text


def test_a_language_model_tool_of_the_manifest_takes_what_the_tool_takes() -> None:
    stale = {"contributes": {"languageModelTools": [{"name": "task", "inputSchema": {}, "tags": ["ä"]}]}}
    text = manifest.render(json.dumps(stale))
    [tool] = json.loads(text)["contributes"]["languageModelTools"]
    assert tool == {"name": "task", "inputSchema": SubagentTool.parameter_schema, "tags": ["ä"]}
    assert manifest.render(text) == text
