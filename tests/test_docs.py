import re
from pathlib import Path

import pytest

from sidecar.history.stored.problems import PROBLEM_CODES
from sidecar.subagents.definitions.places import USER_FOLDERS, WORKSPACE_FOLDERS

FORMATS = (*USER_FOLDERS.values(), *WORKSPACE_FOLDERS.values())

DOCS = Path(__file__).parents[1] / "docs"


def test_the_page_on_definitions_covers_each_key() -> None:
    text = (DOCS / "definitions.md").read_text()
    for form in FORMATS:
        taken, ignored = text.split(f"\n| `{form.name}` | ")[1].split("\n")[0].split(" | ")
        assert all(f"`{key}" in taken for key in form.rules)
        assert set(form.unsupported) == set(re.findall(r"`(.+?)`", ignored))


def test_the_page_on_storage_explains_every_problem_code() -> None:
    text = (DOCS / "storage.md").read_text()
    for code, meaning in PROBLEM_CODES.items():
        assert f"| `{code}` | {meaning} |" in text


def test_the_files_that_the_guides_name_exist() -> None:
    repository = DOCS.parent
    for page in (*DOCS.glob("*.md"), repository / "README.md", repository / "CONTRIBUTING.md"):
        named = re.findall(
            r"`((?:sidecar|tests|client-ts|scripts|benchmarks|examples)/[\w./-]+\w)`", page.read_text()
        )
        missing = [name for name in named if not (repository / name).exists()]
        assert not missing, f"{page.name} names {missing}"


def test_the_names_that_the_guides_give_are_in_their_files() -> None:
    named = [
        (page.name, name, file)
        for page in DOCS.glob("*.md")
        for name, file in re.findall(
            r"`([A-Za-z_]\w*)`(?: and `\w+`)? in `((?:sidecar|tests|client-ts)/[\w./-]+\.(?:py|ts|json))`",
            page.read_text(),
        )
    ]
    assert len(named) >= 10, "the guides name their places in another form"
    assert [entry for entry in named if entry[1] not in (DOCS.parent / entry[2]).read_text()] == []


@pytest.mark.parametrize(
    ("section", "room"),
    [
        ("## Rooms", "sidecar"),
        ("### history", "sidecar/history"),
        ("### history", "sidecar/history/stores"),
        ("### subagents", "sidecar/subagents"),
        ("### client-ts", "client-ts/src"),
        ("### client-ts", "client-ts/webview"),
    ],
)
def test_the_page_on_architecture_names_every_room(section: str, room: str) -> None:
    page = (DOCS / "architecture.md").read_text(encoding="utf-8")
    rows = page.split(f"\n{section}\n")[1].split("\n#")[0]
    named = {name.rstrip("/").split("/")[-1] for name in re.findall(r"`([^`]+)`", rows)}
    folders = {path.name for path in (DOCS.parent / room).iterdir() if path.is_dir()}
    assert folders - {"__pycache__"} - named == set()


PAGES = sorted(
    path for folder in (DOCS, DOCS.parent, DOCS.parent / "client-ts") for path in folder.glob("*.md")
)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(DOCS.parent)))
def test_every_link_of_a_page_leads_to_a_file_and_a_heading(page: Path) -> None:
    links = re.findall(r"\]\((?!\w+:)([^)#\s]*)(?:#([^)\s]*))?\)", page.read_text(encoding="utf-8"))
    targets = [(page.parent / path if path else page, heading) for path, heading in links]
    assert [path for path, _ in targets if not path.exists()] == []
    assert [(path.name, name) for path, name in targets if name and name not in _headings(path)] == []


def _headings(page: Path) -> set[str]:
    """Return the anchors that GitHub makes of the headings of a page."""
    titles = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).strip().replace(" ", "-") for title in titles}
