"""One table of a TOML file comes and goes, and nothing else changes."""

import pytest

from sidecar.cli.install import toml_table

ENTRY = {"command": 'a"b', "args": ["x", "\\"]}
TEXTS = [
    "",
    'model = "x"\n',
    'model = "x"  # without an end of line',
    '[mcp_servers.other]\ncommand = "y"\n\n[profiles.a]\nb = 1\n',
    "# comment\n[mcp_servers]\n",
    '\ufeffmodel = "x"\n',
]


@pytest.mark.parametrize("text", TEXTS)
def test_a_table_is_added_and_removed_again(text: str) -> None:
    added = toml_table.insert(text, "mcp_servers", "me", ENTRY)
    before = toml_table.parse(text)
    assert toml_table.parse(added)["mcp_servers"] == {**before.get("mcp_servers", {}), "me": ENTRY}
    assert toml_table.remove(added, "mcp_servers", "me").rstrip("\n") == text.rstrip("\n")


def test_tables_inside_of_it_go_too_and_later_ones_stay() -> None:
    text = toml_table.insert("", "mcp_servers", "me", ENTRY)
    text += '[mcp_servers.me.env]\nA = "b"\n\n[mcp_servers.meme]\ncommand = "z"\n'
    assert toml_table.parse(toml_table.remove(text, "mcp_servers", "me")) == {
        "mcp_servers": {"meme": {"command": "z"}}
    }


REMOVALS = {
    "[s.me]\na = 1\n\n# of b\n# more of b\n[b]\nc = 2\n": "\n# of b\n# more of b\n[b]\nc = 2\n",
    "x = 1\n\n[s.me]\na = 1\n# last\n": "x = 1\n# last\n",
    "x = 1\n\n[s.me]\na = 1\n\n# e\n[s.me.env]\nB = 'c'\n\n# of d\n[d]\n": "x = 1\n\n# of d\n[d]\n",
    'x = "\u2028[s.me]"\n[s.me]\na = 1\n': 'x = "\u2028[s.me]"\n',
}


@pytest.mark.parametrize("text", REMOVALS)
def test_a_removal_leaves_the_comments_of_what_follows(text: str) -> None:
    assert toml_table.remove(text, "s", "me") == REMOVALS[text]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("a = ", "it is not TOML"),
        ("mcp_servers = {}\n", "mcp_servers is not a table that can be extended"),
        ('mcp_servers = "x"\n', "mcp_servers is not a table that can be extended"),
    ],
)
def test_what_cannot_be_extended_is_refused(text: str, reason: str) -> None:
    with pytest.raises(toml_table.BadToml, match=reason):
        toml_table.insert(text, "mcp_servers", "me", ENTRY)


@pytest.mark.parametrize("text", ["mcp_servers.me.command = 'x'\n", "[mcp_servers]\nme = {command = 'x'}\n"])
def test_a_table_in_another_form_is_left_alone(text: str) -> None:
    with pytest.raises(toml_table.BadToml):
        toml_table.remove(text, "mcp_servers", "me")
