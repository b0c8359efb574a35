from typing import Annotated, Any, Literal

import msgspec
import pytest

from sidecar.rpc.errors import RpcError
from sidecar.rpc.params import convert_params


class Sort(msgspec.Struct, forbid_unknown_fields=True):
    by: Literal["title", "cost"]


class ListParams(msgspec.Struct, rename="camel", forbid_unknown_fields=True):
    task_id: str
    limit: Annotated[int, msgspec.Meta(ge=1, le=20000)] = 200
    sort: list[Sort] | None = None


def test_params_become_the_declared_struct() -> None:
    assert convert_params({"taskId": "a", "limit": 5}, ListParams) == ListParams("a", 5)


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"taskId": "a", "limt": 1}, "unknown member `limt` in params; known members: taskId, limit, sort"),
        ({"limit": 1}, "params must have the member `taskId`"),
        ({"taskId": 7}, "params.taskId: expected str, got int"),
        ({"taskId": "a", "limit": "7"}, "params.limit: expected int, got str"),
        ({"taskId": "a", "limit": True}, "params.limit: expected int, got bool"),
        ({"taskId": "a", "limit": 0}, "params.limit: expected int >= 1"),
        ({"taskId": "a", "sort": [{"by": "colour"}]}, "params.sort[0].by: invalid enum value 'colour'"),
        ({"taskId": "a", "sort": [{"by": "title", "up": 1}]}, "unknown member `up` in params.sort[0]"),
        ({"taskId": "a", "sort": [{}]}, "params.sort[0] must have the member `by`"),
        ([1], "params: expected object, got array"),
        ("text", "params: expected object, got str"),
    ],
)
def test_a_refusal_names_the_member_and_the_remedy(params: Any, message: str) -> None:
    with pytest.raises(RpcError) as caught:
        convert_params(params, ListParams)
    assert (caught.value.code, caught.value.message) == (-32602, message)


def test_a_method_without_members_says_so() -> None:
    with pytest.raises(RpcError, match="it takes no members"):
        convert_params({"x": 1}, msgspec.defstruct("Empty", [], forbid_unknown_fields=True))
