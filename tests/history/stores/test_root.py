from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sidecar.history.stores.registry import describe_root
from sidecar.history.stores.task_folders.family import TASK_FOLDERS
from tests.history.conftest import TASK_ID, Store

Make = Callable[..., dict[str, Any]]


@pytest.mark.parametrize(
    ("path", "product"),
    [
        ("/h/.config/Code/User/globalStorage/rooveterinaryinc.roo-cline", "roo"),
        ("C:\\Users\\a\\Code\\User\\globalStorage\\saoudrizwan.claude-dev", "cline"),
        ("/s/kilocode.kilo-code/", "kilo"),
        ("/s/ZooCodeOrganization.zoo-code", "zoo"),
        ("/home/a/.cline/data", "cline"),
        ("/my/own/kilo-code", None),
    ],
)
def test_a_path_tells_its_product_by_the_extensions_id(path: str, product: str | None) -> None:
    assert TASK_FOLDERS.product_of_path(path) == product


def test_a_root_is_absolute_and_foreign_by_default(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    root = describe_root("here")
    assert (root.path, root.read_only) == (str(tmp_path / "here"), True)


@pytest.mark.parametrize(
    ("message", "product"),
    [
        ({"say": "checkpoint_created"}, "cline"),
        ({"say": "checkpoint_saved"}, "roo"),
        ({"say": "api_req_started", "text": '{"usageMissing":false}'}, "kilo"),
        ({"say": "api_req_started", "text": '{"apiProtocol":"openai"}'}, "roo"),
        ({"say": "text", "modelInfo": {"mode": "act"}}, "cline"),
        ({"say": "text"}, "roo"),
    ],
)
def test_marks_in_the_messages_tell_the_product(
    store: Store, say: Make, message: dict[str, object], product: str
) -> None:
    store.write(ui=[say("text", "x"), {"type": "say", **message}], api=[])
    assert store.task().product == product


def test_without_marks_the_id_decides(store: Store, say: Make) -> None:
    store.write(ui=[say("text", "x")], api=[], task_id="1770000000000")
    store.write(ui=[say("text", "x")], api=[])
    assert (store.task("1770000000000").product, store.task(TASK_ID).product) == ("cline", "roo")


def test_an_old_roo_task_with_an_epoch_id_is_roos(store: Store, say: Make) -> None:
    store.write(ui=[say("text", "x"), say("checkpoint_saved", "0")], api=[], task_id="1720000000000")
    assert store.task("1720000000000").product == "roo"
