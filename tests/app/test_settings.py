import os
from pathlib import Path
from typing import Any

import pytest

from sidecar.api.errors import InvalidParams
from sidecar.app.settings import (
    MAX_FILE_BYTES,
    ClientSettings,
    SettingsStore,
    convert,
    dotted,
    load_file,
    merge,
    split,
)


def test_defaults_are_in_force_when_nothing_is_given() -> None:
    settings = convert({})
    assert settings.async_tasks.max == 5
    assert settings.reminders.detail == "full"
    assert settings.default_runner is None


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        ({"asyncTask": {}}, "unknown setting asyncTask"),
        ({"asyncTasks": {"maxx": 1}}, "unknown setting asyncTasks.maxx"),
        ({"asyncTasks": {"\ud800": 1}}, r"unknown setting '\\ud800'"),
        ({"runners": {"a": {"type": "command", "cmd": []}}}, r"unknown setting runners\[...\].cmd"),
        ({"asyncTasks": {"max": "5"}}, "setting asyncTasks.max: expected integer, got string"),
        ({"asyncTasks": {"max": -2}}, "setting asyncTasks.max: expected integer >= -1"),
        ({"asyncTasks": {"maxTimeoutSeconds": 0}}, "asyncTasks.maxTimeoutSeconds: 0 is invalid"),
        ({"host": {"surviveMinutes": -5}}, "surviveMinutes: -5 is invalid; use 0 minutes or more, or -1"),
        ({"host": {"surviveMinutes": 1e300}}, "host.surviveMinutes: 1e\\+300 is invalid"),
        ({"host": {"idleSeconds": -1}}, "host.idleSeconds: -1 is invalid"),
        ({"host": {"idleSeconds": 1e300}}, "host.idleSeconds: 1e\\+300 is invalid"),
        (
            {"asyncTasks": {"overLimit": "wait"}},
            'overLimit: \'wait\' is not allowed; use "queue" or "reject"',
        ),
        ({"runners": {"a": {"type": "x"}}}, 'type: \'x\' is not allowed; use "acp", "builtin" or "command"'),
        ({"asyncTasks": 3}, "setting asyncTasks: expected object, got integer"),
    ],
)
def test_an_error_is_named_by_its_key(raw: dict[str, object], message: str) -> None:
    with pytest.raises(InvalidParams, match=message):
        convert(raw)


def test_an_update_keeps_the_members_it_does_not_name() -> None:
    store = SettingsStore({"asyncTasks": {"max": 2, "overLimit": "queue"}})
    store.update({"asyncTasks": {"max": 7}})
    assert store.current.async_tasks.max == 7
    assert store.current.async_tasks.over_limit == "queue"


def test_a_bad_update_leaves_the_settings_as_they_were() -> None:
    store = SettingsStore({"asyncTasks": {"max": 2}})
    with pytest.raises(InvalidParams):
        store.update({"asyncTasks": {"max": "many"}})
    assert store.current.async_tasks.max == 2


def test_none_takes_back_what_was_given_so_that_the_file_decides_again() -> None:
    store = SettingsStore({"asyncTasks": {"max": 2}, "budget": {"perDayCost": 5}}, {"asyncTasks": {"max": 3}})
    store.update({"asyncTasks": {"overLimit": "queue"}, "budget": {"perDayCost": 9}})
    store.update({"asyncTasks": {"max": None}, "budget": None})
    limits = store.current.async_tasks
    assert (limits.max, limits.over_limit, store.current.budget.per_day_cost) == (2, "queue", 5)
    store.update({"asyncTasks": {"max": None, "overLimit": None}})
    assert store.current.async_tasks.over_limit == "reject"


def test_none_takes_back_one_runner_of_several() -> None:
    runner = {"type": "command", "command": ["cat"]}
    store = SettingsStore({"runners": {"of-file": runner}})
    store.update({"runners": {"one": runner, "two": {**runner, "env": {"A": "1", "B": "2"}}}})
    store.update({"runners": {"one": None, "two": {"env": {"A": None}}, "never": None}})
    assert store.current.runners.keys() == {"of-file", "two"}
    assert store.current.runners["two"].env == {"B": "2"}


def test_tables_merge_and_lists_replace() -> None:
    assert merge({"a": {"x": 1}, "l": [1]}, {"a": {"y": 2}, "l": [2]}) == {"a": {"x": 1, "y": 2}, "l": [2]}


def test_a_settings_file_is_read_as_toml(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text('[asyncTasks]\nmax = 9\n[runners.echo]\ntype = "command"\ncommand = ["cat"]\n')
    assert convert(load_file(path)).runners["echo"].command == ["cat"]


@pytest.mark.parametrize("text", ["max = ", "[asyncTasks]\nmaxx = 1\n"])
def test_a_bad_settings_file_is_named(tmp_path: Path, text: str) -> None:
    path = tmp_path / "config.toml"
    path.write_text(text)
    with pytest.raises(InvalidParams, match=str(path)):
        load_file(path)


def test_a_home_that_is_not_a_folder_has_no_settings_file() -> None:
    assert load_file(None, {"HOME": "/dev/null"}) == {}


def test_a_settings_file_that_was_named_must_exist(tmp_path: Path) -> None:
    with pytest.raises(InvalidParams, match="does not exist"):
        load_file(tmp_path / "absent.toml")


def test_a_settings_file_that_would_keep_its_reader_waiting_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", Path("/dev/zero")):
        with pytest.raises(InvalidParams, match="is not a regular file"):
            load_file(path)
    (tmp_path / "large").write_bytes(b"#" * (MAX_FILE_BYTES + 1))
    with pytest.raises(InvalidParams, match="is larger than"):
        load_file(tmp_path / "large")


def test_an_integer_that_json_cannot_carry_is_refused_with_the_range() -> None:
    with pytest.raises(InvalidParams, match=r"setting asyncTasks\.max: 10+19\d+ is not between"):
        convert({"asyncTasks": {"max": 1e30, "defaultTimeoutSeconds": 1e30}})


SPLIT = {
    "asyncTasks": {"max": 2, "overLimit": "queue"},
    "budget": {"perDayCost": 1},
    "history": {"retentionDays": 3, "rules": "guide"},
    "reminders": {"detail": "summary"},
}


def test_settings_are_each_clients_own_or_concern_the_host() -> None:
    own, shared = split(SPLIT)
    assert own == {
        "asyncTasks": {"overLimit": "queue"},
        "history": {"rules": "guide"},
        "reminders": {"detail": "summary"},
    }
    assert shared == {
        "asyncTasks": {"max": 2},
        "budget": {"perDayCost": 1},
        "history": {"retentionDays": 3},
    }
    assert merge(own, shared) == SPLIT
    assert dotted(SPLIT) == ["asyncTasks.max", "budget", "history.retentionDays"]


def test_a_group_of_the_host_only_leaves_nothing_for_the_client() -> None:
    assert split({"asyncTasks": {"max": 2}})[0].get("asyncTasks", {}) == {}
    assert dotted({"reminders": {"detail": "full"}}) == []


def test_a_client_has_its_own_settings_and_those_of_the_host() -> None:
    host = SettingsStore({"asyncTasks": {"max": 7, "overLimit": "reject"}})
    client = ClientSettings(host, SPLIT)
    assert (client.current.async_tasks.max, client.current.async_tasks.over_limit) == (7, "queue")
    assert (client.current.history.rules, client.current.history.retention_days) == (
        "guide",
        host.current.history.retention_days,
    )


def test_a_change_of_the_host_is_seen_by_every_client() -> None:
    host = SettingsStore()
    clients = [ClientSettings(host, {"reminders": {"maxChars": number}}) for number in (500, 600)]
    host.update({"asyncTasks": {"max": 9}})
    assert [each.current.async_tasks.max for each in clients] == [9, 9]
    clients[0].update({"reminders": {"maxChars": 700}})
    assert [each.current.reminders.max_chars for each in clients] == [700, 600]
    host.update({"asyncTasks": {"max": 8}})
    assert [(each.current.async_tasks.max, each.current.reminders.max_chars) for each in clients] == [
        (8, 700),
        (8, 600),
    ]


def test_a_change_that_is_not_valid_changes_nothing_of_a_client() -> None:
    host = SettingsStore()
    client = ClientSettings(host, {"reminders": {"maxChars": 500}})
    before = client.current
    for wrong in ({"reminders": {"maxChars": "x"}}, {"reminders": {"detail": "full"}, "nothing": 1}):
        with pytest.raises(InvalidParams):
            client.check(wrong)
        with pytest.raises(InvalidParams):
            client.update(wrong)
        assert client.current == before
    host.update({"asyncTasks": {"max": 8}})
    assert client.current.reminders.max_chars == 500


def test_a_client_takes_back_its_own_settings_and_those_of_the_host() -> None:
    host = SettingsStore({"asyncTasks": {"max": 7}})
    client = ClientSettings(
        host, {"asyncTasks": {"overLimit": "queue"}}, {"asyncTasks": {"overLimit": "reject"}}
    )
    host.update({"asyncTasks": {"max": 1}})
    for changes in ({"asyncTasks": {"max": None, "overLimit": None}}, {"asyncTasks": None}):
        client.check(changes)
        own, shared = split(changes)
        client.update(own)
        host.update(shared)
        assert (client.current.async_tasks.max, client.current.async_tasks.over_limit) == (7, "queue")


@pytest.mark.parametrize(
    "wrong", [{"asyncTasks": {"max": "x"}}, {"budget": 5}, {"asyncTasks": 7}, {"nope": {}}]
)
def test_wrong_settings_of_the_host_are_named_to_the_client_that_sends_them(wrong: dict[str, Any]) -> None:
    host = SettingsStore()
    client = ClientSettings(host, {})
    with pytest.raises(InvalidParams, match=next(iter(wrong))):
        client.check(wrong)
    with pytest.raises(InvalidParams, match=next(iter(wrong))):
        ClientSettings(host, wrong)
