"""The blocks of a prompt for its attachments, for an agent that drops images next to files."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from acp import schema

from sidecar.subagents.equipment.attachments import Attached, AttachedData, AttachedFile
from sidecar.subagents.runners.acp.setup.equipment import attachment_blocks
from sidecar.subagents.runners.acp.turn import AgentError

CAPABILITIES = schema.AgentCapabilities(prompt_capabilities=schema.PromptCapabilities(image=True))
DATA = AttachedData("image/png", "AAAA")


@pytest.fixture
def picture(tmp_path: Path) -> AttachedFile:
    path = tmp_path.resolve() / "shot.png"
    path.write_bytes(b"PNG")
    return AttachedFile(path, "image/png", 3)


@pytest.fixture
def notes(tmp_path: Path) -> AttachedFile:
    path = tmp_path.resolve() / "notes.txt"
    path.write_text("notes")
    return AttachedFile(path, "text/plain", 5)


def kinds(attachments: Sequence[Attached], **options: Any) -> list[str]:
    return [block.type for block in attachment_blocks(attachments, CAPABILITIES, **options)]


def test_images_next_to_files_are_links_for_an_agent_that_drops_them(
    picture: AttachedFile, notes: AttachedFile
) -> None:
    assert kinds([picture, notes]) == ["image", "resource_link"]
    assert kinds([picture, notes], loses_images=True) == ["resource_link", "resource_link"]
    assert kinds([picture, DATA], loses_images=True) == ["image", "image"]


def test_image_data_next_to_files_is_refused_for_an_agent_that_drops_it(notes: AttachedFile) -> None:
    assert kinds([DATA, notes]) == ["image", "resource_link"]
    with pytest.raises(AgentError, match=r"attachments\[1\]: the agent drops image data next to files"):
        kinds([notes, DATA], loses_images=True)


def test_an_image_that_models_do_not_support_is_a_link_or_refused(tmp_path: Path) -> None:
    path = tmp_path.resolve() / "logo.svg"
    path.write_bytes(b"<svg/>")
    assert kinds([AttachedFile(path, "image/svg+xml", 6)]) == ["resource_link"]
    with pytest.raises(AgentError, match=r"attachments\[0\]: .* type image/tiff"):
        kinds([AttachedData("image/tiff", "AAAA")])
