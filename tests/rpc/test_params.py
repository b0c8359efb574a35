from typing import Annotated, Any, Literal

import msgspec
import pytest

from sidecar.rpc.errors import RpcError
from sidecar.rpc.params import convert_params

Color = Literal["red", "green", "blue"]


class Sort(msgspec.Struct, forbid_unknown_fields=True):
    by: Literal["title", "cost"]


class ListParams(msgspec.Struct, rename="camel", forbid_unknown_fields=True):
    task_id: str
    limit: Annotated[int, msgspec.Meta(ge=1, le=20000)] = 200
    sort: list[Sort] | None = None
    color: Color | list[Color] | None = None
    colors: dict[str, Literal["none"]] | None = None
    seconds: int | float | None = None


def test_params_become_the_declared_struct() -> None:
    assert convert_params({"taskId": "a", "limit": 5}, ListParams) == ListParams("a", 5)


@pytest.mark.parametrize(
    ("params", "message"),
    [
        (
            {"taskId": "a", "limt": 1},
            "unknown member `limt` in params; known members: taskId, limit, sort, color, colors, seconds",
        ),
        ({"limit": 1}, "params must have the member `taskId`"),
        ({"taskId": 7}, "params.taskId: expected string, got integer"),
        ({"taskId": "a", "limit": "7"}, "params.limit: expected integer, got string"),
        ({"taskId": "a", "limit": True}, "params.limit: expected integer, got boolean"),
        ({"taskId": "a", "limit": 0}, "params.limit: expected integer >= 1"),
        (
            {"taskId": "a", "sort": [{"by": "color"}]},
            'params.sort[0].by: \'color\' is not allowed; use "cost" or "title"',
        ),
        ({"taskId": "a", "color": "x"}, 'params.color: \'x\' is not allowed; use "blue", "green" or "red"'),
        (
            {"taskId": "a", "color": ["x"]},
            'params.color[0]: \'x\' is not allowed; use "blue", "green" or "red"',
        ),
        ({"taskId": "a", "color": 1}, "params.color: expected string, array or null, got integer"),
        ({"taskId": "a", "colors": {"a": "x"}}, "params.colors[...]: 'x' is not allowed; use \"none\""),
        ({"taskId": "a", "seconds": "1"}, "params.seconds: expected number or null, got string"),
        ({"taskId": "a", "limit": 1.5}, "params.limit: expected integer, got number"),
        ({"taskId": None}, "params.taskId: expected string, got null"),
        ({"taskId": "a", "sort": [{"by": "title", "up": 1}]}, "unknown member `up` in params.sort[0]"),
        ({"taskId": "a", "\ud800": 1}, "params: unknown member '\\ud800'"),
        ({"taskId": "a", "sort": [{}]}, "params.sort[0] must have the member `by`"),
        ([1], "params: expected object, got array"),
        ("text", "params: expected object, got string"),
    ],
)
def test_a_refusal_names_the_member_and_the_remedy(params: Any, message: str) -> None:
    with pytest.raises(RpcError) as caught:
        convert_params(params, ListParams)
    assert (caught.value.code, caught.value.message) == (-32602, message)


def test_a_method_without_members_says_so() -> None:
    with pytest.raises(RpcError, match="it takes no members"):
        convert_params({"x": 1}, msgspec.defstruct("Empty", [], forbid_unknown_fields=True))
