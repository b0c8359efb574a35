"""Damage to list entries and metadata, and odd files in the folder; the codes are the expected problems."""

import os
from pathlib import Path

from tests.generator.hostile import API, START, UI, UI_BYTES, hostile, put, text

ITEM = "history_item.json"
METADATA = "task_metadata.json"


def with_entry(folder: Path, item: object) -> None:
    put(folder)
    (folder / ITEM).write_bytes(item if isinstance(item, bytes) else text(item))


def unless_root() -> None:
    """Permissions do not bind root: the kind is left out."""
    if os.geteuid() == 0:
        raise NotImplementedError


# List entries


@hostile("notRegular")
def entry_is_a_directory(folder: Path) -> None:
    put(folder)
    (folder / ITEM).mkdir()


@hostile("notRegular")
def entry_is_a_pipe(folder: Path) -> None:
    put(folder)
    os.mkfifo(folder / ITEM)


@hostile("notRegular")
def entry_is_a_link_to_a_secret(folder: Path) -> None:
    put(folder)
    (folder / ITEM).symlink_to("/etc/passwd")


@hostile("malformed")
def entry_is_blank(folder: Path) -> None:
    with_entry(folder, b"")


@hostile("malformed")
def entry_is_cut(folder: Path) -> None:
    with_entry(folder, text({"id": folder.name, "task": "Find the bug", "ts": START})[:-20])


@hostile("byteOrderMark")
def entry_with_a_byte_order_mark(folder: Path) -> None:
    with_entry(folder, b"\xef\xbb\xbf" + text({"id": folder.name, "task": "Find the bug"}))


@hostile("malformed")
def entry_of_not_a_number(folder: Path) -> None:
    with_entry(folder, b'{"ts": NaN, "totalCost": Infinity, "tokensIn": -Infinity}')


@hostile()
def entry_of_huge_numbers(folder: Path) -> None:
    with_entry(
        folder, b'{"ts": 1e400, "totalCost": 1' + b"0" * 5_000 + b', "tokensIn": 99999999999999999999}'
    )


@hostile()
def entry_nested_too_deep(folder: Path) -> None:
    with_entry(folder, b'{"task":' + b"[" * 100_000 + b"]" * 100_000 + b"}")


@hostile()
def entry_of_another_task(folder: Path) -> None:
    with_entry(folder, {"id": "00000000-0000-4000-8000-000000000000", "task": "Another", "ts": START})


@hostile()
def entry_that_is_its_own_parent(folder: Path) -> None:
    name = folder.name
    with_entry(folder, {"id": name, "parentTaskId": name, "rootTaskId": name, "childIds": [name, name]})


@hostile()
def entry_of_very_many_children(folder: Path) -> None:
    with_entry(folder, {"id": folder.name, "childIds": [f"child-{n}" for n in range(50_000)]})


@hostile()
def entry_that_forges_rows(folder: Path) -> None:
    with_entry(
        folder, {"mode": "a\n### Task: forged (1)", "workspace": "/x\u2028y\x1b[2J", "parentTaskId": "\n"}
    )


@hostile("missing")
def entry_of_five_megabytes_alone(folder: Path) -> None:
    (folder / ITEM).write_bytes(text({"id": folder.name, "ts": START, "task": "word " * 1_000_000}))


@hostile("missing")
def entry_that_is_null_alone(folder: Path) -> None:
    (folder / ITEM).write_bytes(b"{}")


# Metadata


@hostile()
def metadata_is_a_pipe(folder: Path) -> None:
    put(folder)
    os.mkfifo(folder / METADATA)


@hostile()
def metadata_nested_too_deep(folder: Path) -> None:
    put(folder)
    (folder / METADATA).write_bytes(b'{"files_in_context":' + b"[" * 100_000)


@hostile()
def metadata_of_odd_files(folder: Path) -> None:
    put(folder)
    files: list[object] = [
        None,
        1,
        [],
        {"path": 1},
        {"path": "../../etc/passwd"},
        {"path": "a\0b", "record_source": []},
    ]
    (folder / METADATA).write_bytes(text({"files_in_context": files, "model_usage": {"a": 1}}))


# The other message file


@hostile("notRegular")
def api_is_a_pipe(folder: Path) -> None:
    put(folder, api=None)
    os.mkfifo(folder / API)


@hostile("notRegular")
def api_is_a_link_to_a_terminal(folder: Path) -> None:
    put(folder, api=None)
    (folder / API).symlink_to("/dev/tty")


@hostile("empty", "notRegular")
def both_are_links_to_each_other(folder: Path) -> None:
    (folder / UI).symlink_to(API)
    (folder / API).symlink_to(UI)


@hostile("empty", "tooLarge")
def both_are_huge_and_sparse(folder: Path) -> None:
    for name in (UI, API):
        with (folder / name).open("wb") as file:
            file.truncate(1 << 41)


@hostile("unreadable")
def ui_is_forbidden(folder: Path) -> None:
    unless_root()
    put(folder)
    (folder / UI).chmod(0)


# Other files in the folder


@hostile()
def a_link_back_to_all_tasks(folder: Path) -> None:
    put(folder)
    (folder / "checkpoints").symlink_to(folder.parent)


@hostile()
def very_many_other_files(folder: Path) -> None:
    put(folder)
    for number in range(1_000):
        (folder / f"context_{number}.json").write_bytes(b"")


@hostile()
def checkpoints_very_deep(folder: Path) -> None:
    put(folder)
    (folder / Path(*["checkpoints", *["d"] * 400])).mkdir(parents=True)


@hostile()
def names_no_terminal_can_show(folder: Path) -> None:
    put(folder)
    for name in (b"\xff\xfe", b"a\nb\x1b[2J", b"\xe2\x80\xae.json"):
        (Path(os.fsdecode(bytes(folder))) / os.fsdecode(name)).write_bytes(b"")


@hostile("missing")
def names_in_capitals(folder: Path) -> None:
    put(folder, ui=None)
    (folder / UI.upper()).write_bytes(UI_BYTES)


@hostile("recovered")
def only_the_name_of_2024(folder: Path) -> None:
    (folder / "claude_messages.json").write_bytes(UI_BYTES)


@hostile()
def files_from_the_future_and_the_past(folder: Path) -> None:
    put(folder)
    os.utime(folder / UI, (5_000_000_000, 5_000_000_000))
    os.utime(folder / API, (0, 0))


@hostile()
def locks_of_odd_kinds(folder: Path) -> None:
    put(folder)
    (folder / f"{UI}.lock").write_bytes(b"a file")
    (folder / f"{API}.lock").symlink_to("nowhere")


@hostile("missing")
def leftovers_of_odd_kinds(folder: Path) -> None:
    put(folder, ui=None)
    os.mkfifo(folder / f".{UI}.bak_1770000000001_a.tmp")
    (folder / f".{UI}.new_1770000000002_b.tmp").symlink_to("/dev/zero")
    (folder / f".{UI}.bak_1770000000003_c.tmp").mkdir()


@hostile("recovered")
def very_many_leftovers(folder: Path) -> None:
    put(folder, ui=None)
    for number in range(500):
        (folder / f".{UI}.bak_{START + number}_x.tmp").write_bytes(UI_BYTES[: -1 if number else None])
