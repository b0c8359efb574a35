"""Roots that links give several names are listed and counted once."""

from pathlib import Path

import pytest

from sidecar.api.errors import InvalidParams
from sidecar.api.stored.search import SearchParams
from sidecar.api.stored.stats import StatsParams
from sidecar.corpus.gemini import write_gemini
from sidecar.corpus.truth import NOW_MS, Truth
from sidecar.history import TaskHistory
from sidecar.history.doctor import examine
from sidecar.history.insight import stats
from sidecar.history.listing.selection import ListQuery
from sidecar.history.search import SearchService


class Linked:
    """A store with a truth, and two links to it."""

    def __init__(self, folder: Path) -> None:
        self.real, self.first, self.second = folder / "real", folder / "first", folder / "second"
        self.real.mkdir()
        self.truths: list[Truth] = write_gemini(self.real)
        self.first.symlink_to(self.real, target_is_directory=True)
        self.second.symlink_to("first", target_is_directory=True)

    def history(self, *roots: Path) -> TaskHistory:
        return TaskHistory(roots, now=lambda: NOW_MS)


@pytest.fixture
def linked(tmp_path: Path) -> Linked:
    return Linked(tmp_path)


def orders(linked: Linked) -> list[tuple[Path, ...]]:
    return [
        (linked.real, linked.first),
        (linked.first, linked.real),
        (linked.first, linked.second),
        (linked.second, linked.real, linked.first),
    ]


def test_the_sessions_of_linked_roots_are_listed_once_under_the_first_name(linked: Linked) -> None:
    for roots in orders(linked):
        page = linked.history(*roots).page(ListQuery(children=True))
        assert sorted(row.id for row in page.items) == sorted(truth.id for truth in linked.truths)
        assert (page.total, page.matched) == (len(linked.truths), len(linked.truths))
        assert {row.root for row in page.items} == {str(roots[0])}


def test_totals_count_linked_roots_once(linked: Linked) -> None:
    alone = stats(linked.history(linked.real), StatsParams(), "structural")
    for roots in orders(linked):
        both = stats(linked.history(*roots), StatsParams(), "structural")
        assert (both.matched, both.copies, both.totals) == (alone.matched, alone.copies, alone.totals)


def test_a_client_may_use_any_name_of_a_root(linked: Linked) -> None:
    history = linked.history(linked.real, linked.second)
    chosen = linked.truths[0].id
    assert history.get(chosen, str(linked.second))[0].root == str(linked.real)
    named = ListQuery(roots=[str(linked.second), str(linked.real)], children=True)
    assert history.page(named).total == len(linked.truths)
    with pytest.raises(InvalidParams, match="first is not a root of this server"):
        history.page(ListQuery(roots=[str(linked.first)]))


def test_a_search_finds_each_message_once(linked: Linked, tmp_path: Path) -> None:
    word = next(truth.word for truth in linked.truths if truth.word)
    service = SearchService(tmp_path / "search", wait_seconds=60)
    found = service.search(linked.history(linked.first, linked.real), SearchParams(text=word))
    service.close()
    places = [(hit.task_id, hit.kind, hit.index) for hit in found.hits]
    assert places and len(places) == len(set(places))


def test_the_doctor_names_all_names_of_a_root_and_finds_no_duplicates(linked: Linked) -> None:
    report = examine(linked.history(linked.second, linked.real, linked.first), NOW_MS)
    (root,) = report.roots
    assert (root.path, root.tasks) == (str(linked.second), len(linked.truths))
    assert root.other_names == [str(linked.real), str(linked.first)]
    assert "duplicate" not in report.counts


def test_a_root_with_one_name_has_no_others(linked: Linked) -> None:
    (root,) = examine(linked.history(linked.real), NOW_MS).roots
    assert root.other_names is None


def test_the_doctor_says_that_a_searched_place_is_a_root_by_another_name(
    linked: Linked, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = linked.real.parent / "home"
    home.mkdir()
    monkeypatch.delenv("GEMINI_CLI_HOME", raising=False)
    (home / ".gemini").symlink_to(linked.real, target_is_directory=True)
    (root,) = examine(linked.history(linked.real), NOW_MS, home=home).roots
    assert root.other_names == [str(home / ".gemini")]


def test_two_folders_with_equal_sessions_stay_two_roots(tmp_path: Path) -> None:
    roots = [tmp_path / "a", tmp_path / "b"]
    for root in roots:
        root.mkdir()
    truths = [truth for root in roots for truth in write_gemini(root)]
    assert TaskHistory(roots, now=lambda: NOW_MS).page(ListQuery(children=True)).total == len(truths)


def test_missing_roots_are_distinguished_by_their_names(tmp_path: Path) -> None:
    history = TaskHistory([tmp_path / "a", tmp_path / "b", tmp_path / "a"])
    assert [root.path for root in history.roots] == [str(tmp_path / "a"), str(tmp_path / "b")]
