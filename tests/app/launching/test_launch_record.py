"""What a record keeps of the attachments of a launch."""

from sidecar.api.runs.launches import Attachment, LaunchParams
from sidecar.app.launching.launch_record import attachment_names, to_record

FILE = Attachment(path="/house/docs/days off.md")
DATA = Attachment(data="YSxi", mime_type="text/csv")


def test_attachments_are_named_by_their_files_or_types() -> None:
    assert attachment_names([FILE, DATA, Attachment(path="shot.png")]) == [
        "days off.md",
        "text/csv",
        "shot.png",
    ]
    assert attachment_names([]) is None
    assert attachment_names(None) is None


def test_the_content_of_attachments_is_not_kept() -> None:
    params = LaunchParams(subagent_name="scout", goal_prompt="look", attachments=[FILE, DATA])
    record = to_record(params)
    assert record["attachments"] == [{"path": "/house/docs/days off.md"}]
    assert "YSxi" not in repr(record)
