"""Damage to the files of a task folder; the codes are the expected problems."""

import os
import socket
from pathlib import Path

from tests.generator.hostile import PROMPT, START, UI, UI_BYTES, hostile, put, text

# Missing and replaced files


@hostile(listed=False)
def empty_folder(folder: Path) -> None:
    """Every path helper of the products makes the folder, even for reading."""


@hostile(listed=False)
def only_checkpoints(folder: Path) -> None:
    (folder / "checkpoints" / ".git").mkdir(parents=True)


@hostile("missing")
def ui_missing(folder: Path) -> None:
    put(folder, ui=None)


@hostile("missing")
def api_missing_after_a_request(folder: Path) -> None:
    put(
        folder,
        ui=text([PROMPT, {"ts": START, "type": "say", "say": "api_req_started", "text": "{}"}]),
        api=None,
    )


@hostile()
def api_missing_before_any_request(folder: Path) -> None:
    put(folder, ui=text([PROMPT]), api=None)


@hostile("missing")
def only_a_list_entry(folder: Path) -> None:
    (folder / "history_item.json").write_bytes(text({"id": folder.name, "ts": START, "task": "Find the bug"}))


@hostile("malformed")
def list_entry_is_not_an_object(folder: Path) -> None:
    put(folder)
    (folder / "history_item.json").write_bytes(b"[1]")


@hostile()
def list_entry_of_odd_types(folder: Path) -> None:
    put(folder)
    entry = {
        "id": 5,
        "ts": "x",
        "task": [],
        "tokensIn": {},
        "mode": 3,
        "childIds": "x",
        "status": [],
        "totalCost": "9",
    }
    (folder / "history_item.json").write_bytes(text(entry))


@hostile()
def metadata_is_garbage(folder: Path) -> None:
    put(folder)
    (folder / "task_metadata.json").write_bytes(b'{"model_usage": [1, {"mode": []}')


@hostile("notRegular")
def ui_is_a_directory(folder: Path) -> None:
    put(folder, ui=None)
    (folder / UI).mkdir()


@hostile("notRegular")
def ui_is_a_pipe(folder: Path) -> None:
    put(folder, ui=None)
    os.mkfifo(folder / UI)


@hostile("notRegular")
def ui_is_a_socket(folder: Path) -> None:
    put(folder, ui=None)
    here = Path.cwd()
    os.chdir(folder)  # a socket's address is short
    try:
        with socket.socket(socket.AF_UNIX) as end:
            end.bind(UI)
    finally:
        os.chdir(here)


@hostile("notRegular")
def ui_is_a_link_out(folder: Path) -> None:
    put(folder, ui=None)
    outside = folder.parent.parent / "outside.json"
    outside.write_bytes(UI_BYTES)
    (folder / UI).symlink_to(outside)


@hostile("notRegular")
def ui_is_a_link_to_endless_zeros(folder: Path) -> None:
    put(folder, ui=None)
    (folder / UI).symlink_to("/dev/zero")


@hostile("notRegular")
def ui_is_a_link_to_itself(folder: Path) -> None:
    put(folder, ui=None)
    (folder / UI).symlink_to(UI)


@hostile("notRegular")
def ui_is_a_dangling_link(folder: Path) -> None:
    put(folder, ui=None)
    (folder / UI).symlink_to("nowhere")


@hostile("tooLarge")
def ui_is_huge_and_sparse(folder: Path) -> None:
    put(folder, ui=None)
    with (folder / UI).open("wb") as file:
        file.truncate(1 << 40)


# What a writer leaves behind


@hostile("recovered")
def backup_only(folder: Path) -> None:
    put(folder, ui=None)
    (folder / f".{UI}.bak_1770000000001_x1.tmp").write_bytes(UI_BYTES)


@hostile("recovered")
def backup_and_half_a_new_file(folder: Path) -> None:
    backup_only(folder)
    (folder / f".{UI}.new_1770000000001_x2.tmp").write_bytes(UI_BYTES[:40])


@hostile()
def leftovers_next_to_sound_files(folder: Path) -> None:
    put(folder)
    (folder / f".{UI}.new_1770000000001_x2.tmp").write_bytes(UI_BYTES[:40])
    (folder / f".{UI}.bak_1770000000001_x2.tmp").write_bytes(b"[]")


@hostile()
def orphaned_lock(folder: Path) -> None:
    put(folder)
    (folder / f"{UI}.lock").mkdir()


@hostile("missing")
def orphaned_lock_without_a_file(folder: Path) -> None:
    put(folder, ui=None)
    (folder / f"{UI}.lock").mkdir()
    os.utime(folder / f"{UI}.lock", (1_700_000_000, 1_700_000_000))


@hostile("missing")
def half_a_new_file_only(folder: Path) -> None:
    put(folder, ui=None)
    (folder / f".{UI}.new_1770000000001_x2.tmp").write_bytes(UI_BYTES[:40])
