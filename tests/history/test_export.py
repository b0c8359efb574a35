import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sidecar.api.errors import StorageError
from sidecar.api.stored.export import ExportFormat
from sidecar.history.export import document as task
from sidecar.history.export import export
from sidecar.history.export.redaction import Redactor
from tests.history.conftest import TASK_ID, Store

Make = Callable[..., dict[str, Any]]

# Put together here so that no scanner of this repository takes them for real ones.
SECRETS = {
    "privateKey": "-----BEGIN RSA "
    + "PRIVATE KEY-----\nProc-Type: 4,ENC\nMIIEowIBAAKCAQEA+/==\n-----END RSA PRIVATE KEY-----",
    "jwt": "eyJ" + "hbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N",
    "anthropicKey": "sk-" + "ant-api03-abcdefghij0123456789",
    "openaiKey": "sk-" + "proj-abcdefghij0123456789abcd",
    "githubToken": "ghp" + "_abcdefghijklmnopqrstuvwxyz0123456789",
    "gitlabToken": "glpat" + "-abcdefghij0123456789",
    "slackToken": "xox" + "b-123456789012-abcdefghij",
    "awsKey": "AKIA" + "IOSFODNN7EXAMPLE",
    "googleKey": "AIza" + "SyA1234567890abcdefghijklmnopqrstuv",
    "stripeKey": "sk_" + "live_abcdefghij0123456789",
    "npmToken": "npm" + "_abcdefghijklmnopqrstuvwxyz0123456789",
    "pypiToken": "pypi" + "-AgEIcHlwaS5vcmcabcdefghijklmnopqrstuvwxyz0123456789abcdef",
    "huggingFaceToken": "hf" + "_abcdefghijklmnopqrstuvwxyzABCDEFGH",
    "sendgridKey": "SG" + ".abcdefghijklmnopqrst.abcdefghijklmnopqrstuvwxyz0123",
    "azureKey": "AccountKey" + "=abcdefghijklmnopqrstuvwxyz0123456789ABCDEF==",
    "urlPassword": "postgres://app:" + "hunter2@db.example.com/x",
    "bearerToken": "Authorization: Bearer " + "abcdef0123456789abcdef",
    "cookie": "Cookie: theme=dark; " + "session=abcdef0123456789",
    "assignedSecret": 'DB_PASSWORD = "' + 'correcthorse"',
}


@pytest.mark.parametrize("kind", SECRETS)
def test_a_secret_is_taken_out_and_counted(kind: str) -> None:
    redactor = Redactor()
    text = redactor.text(f"before {SECRETS[kind]} after")
    assert text.startswith("before ") and text.endswith(" after")
    assert f"[redacted: {kind}]" in text
    assert [(entry.kind, entry.count) for entry in redactor.report] == [(kind, 1)]


@pytest.mark.parametrize(
    "text",
    [
        "the token is described below",
        "def password(self, token: str) -> None:",
        "basic understanding of the things",
        "https://example.com/a:b@c",
        "sk-learn and a skirt",
        "tokens: 123, secret santa",
        "src/home/index.tsx and /homes/x",
        "AKIA is four letters",
        "Cookie: the banner asks for it",
        "/data/dana and/or /data/bob",
    ],
)
def test_ordinary_text_stays(text: str) -> None:
    assert Redactor().text(text) == text


@pytest.mark.parametrize(
    ("path", "left"),
    [
        ("/home/dana/projects", "~/projects"),
        ("/Users/sam/Проекты", "~/Проекты"),
        ("C:\\Users\\Bob\\x", "~\\x"),
        ("c:\\\\Users\\\\bob\\\\x", "~\\\\x"),
        ("c:/Users/bob", "~"),
        ("C:\\Users\\Bob van Éyck Smith\\x", "~\\x"),
        ("c:\\\\Users\\\\Bob Smith\\\\x", "~\\\\x"),
        ("file:///c%3A/Users/bob/x", "file:///~/x"),
        ("/home/dana and/or", "~ and/or"),
        ("/home/dana However", "~ However"),
        ("/mnt/c/Users/bob/x", "~/x"),
        ("//wsl.localhost/Ubuntu/home/jürgen/blog", "~/blog"),
        ("file:///home/dana/x", "file://~/x"),
        ("/root/.ssh/id", "~/.ssh/id"),
        ("/Users/Shared/x", "/Users/Shared/x"),
        ("/data/people/dana/x", "~/x"),
    ],
)
def test_home_directories_become_a_tilde(path: str, left: str) -> None:
    assert Redactor(home="/data/people/dana").text(f'"{path}"') == f'"{left}"'


@settings(max_examples=100)
@given(st.lists(st.sampled_from([*SECRETS.values(), "/home/a/b", '"', "x", "="]), max_size=8))
def test_redacted_text_holds_no_secret(parts: list[str]) -> None:
    once = Redactor().text(" \n".join(parts))
    assert Redactor().text(once) == once
    assert not any(secret in once for secret in SECRETS.values())


@pytest.mark.parametrize(
    "bait",
    [
        "-----BEGIN PRIVATE KEY-----",
        "eyJaaaaaaaaa.",
        "sk-a",
        "password",
        "password=\\",
        "bearer  ",
        "aaaa",
        "a://b:",
        "/home/",
        "api_key: ",
        "cookie: a=b;",
        "/home/A B ",
        "SG.aaaaaaaaaaaaaaaaaa.",
        "((((",
    ],
)
def test_redaction_is_linear(bait: str) -> None:
    text = bait * (400_000 // len(bait))
    started = time.process_time()  # of this process alone, whatever else the machine does
    Redactor().text(text)
    assert time.process_time() - started < 5.0  # a quadratic search takes minutes


def test_markdown_shows_the_facts_and_what_was_written(store: Store, say: Make, ask: Make) -> None:
    store.write(
        ui=[say("text", "# Fix it\nplease"), say("command_output", "```\nout"), ask("completion_result")],
        api=[],
    )
    text = export(store.history, TASK_ID[:8], "markdown").text
    assert text.startswith("# # Fix it please\n\n- **Id**: " + TASK_ID)
    assert "\n## User (" in text and "\n\\# Fix it\nplease\n" in text
    assert "\n````\n```\nout\n````\n" in text and "Assistant, ask:completion_result" in text


def test_a_prompt_of_many_lines_is_not_a_heading(store: Store, say: Make) -> None:
    store.write(ui=[say("text", "word " * 100)], api=[])
    heading, _, facts = export(store.history, TASK_ID, "markdown").text.partition("\n\n")
    assert heading.startswith("# word word") and heading.endswith("…") and len(heading) < 130
    assert facts.startswith("- **Title**: " + " ".join(["word"] * 100) + "\n")


@pytest.mark.parametrize(
    ("cost", "shown"), [(0, "$0.00"), (3e-7, "<$0.0001"), (0.0064, "$0.0064"), (0.064, "$0.06")]
)
def test_a_small_cost_is_not_nothing(store: Store, say: Make, cost: float, shown: str) -> None:
    usage = json.dumps({"tokensIn": 1, "tokensOut": 1, "cost": cost})
    store.write(ui=[say("text", "x"), say("api_req_started", usage)], api=[])
    assert f"\n- **Cost**: {shown}\n" in export(store.history, TASK_ID, "markdown").text


def test_code_left_open_ends_with_its_message(store: Store, say: Make) -> None:
    store.write(ui=[say("text", "```python\n# a comment\nx"), say("text", "next")], api=[])
    text = export(store.history, TASK_ID, "markdown").text
    assert "\n# a comment\nx\n```\n\n## Assistant" in text


def test_json_holds_every_message_as_the_wire_has_it(store: Store, say: Make) -> None:
    store.write(ui=[say("text", f"m{n} \ud83d") for n in range(3)], api=[])
    document = json.loads(export(store.history, TASK_ID, "json").text)
    assert document["version"] == 1 and document["task"]["id"] == TASK_ID
    assert document["messages"][2]["text"] == "m2 \ufffd"
    assert document["provenance"]["title"]["source"] == "ui_messages.json"


def test_a_task_without_ui_messages_exports_its_api_messages(store: Store, user: Make) -> None:
    store.write(api=[user("<task>\nhello\n</task>")])
    assert "hello" in export(store.history, TASK_ID, "markdown").text


@pytest.mark.parametrize("form", ["markdown", "json"])
def test_an_export_is_redacted_when_asked(store: Store, say: Make, form: Any) -> None:
    secret = SECRETS["githubToken"]
    store.write(ui=[say("text", f"use {secret} in /home/dana/x")], api=[])
    plain, redacted = export(store.history, TASK_ID, form), export(store.history, TASK_ID, form, redact=True)
    assert secret in plain.text and plain.redactions is None
    assert secret not in redacted.text and "dana" not in redacted.text
    assert {entry.kind for entry in redacted.redactions or ()} >= {"githubToken", "homeDirectory"}


def test_a_text_too_long_for_an_answer_is_refused_with_the_way_out(
    store: Store, say: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(task, "MAX_EXPORT", 500)
    store.write(ui=[say("text", "word " * 200)], api=[])
    with pytest.raises(StorageError, match="command `export`"):
        export(store.history, TASK_ID, "markdown")


@pytest.mark.parametrize("form", ["markdown", "json"])
def test_a_name_is_taken_out_of_messages_before_its_home_directory(
    store: Store, say: Make, form: ExportFormat
) -> None:
    store.write(ui=[say("text", "ask nkeller"), say("text", "in C:\\Users\\nkeller\\x")], api=[])
    assert "nkeller" not in export(store.history, TASK_ID, form, redact=True).text


def test_a_title_shows_no_image_and_no_tag(store: Store, say: Make) -> None:
    store.write(ui=[say("text", "![x](https://evil.example/p.png) <!-- <b>")], api=[])
    text = export(store.history, TASK_ID, "markdown").text
    assert text.startswith("# !\\[x](https://evil.example/p.png) \\<!-- \\<b>\n")


def test_loading_the_program_loads_no_rules() -> None:
    code = "import sys, sidecar.__main__, sidecar.app.handlers.insight; print(*sys.modules)"
    modules = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert "sidecar.app.handlers.insight" in modules and "redaction" not in modules


@pytest.mark.skipif(sys.platform != "linux", reason="other systems refuse such names")
def test_a_task_of_a_root_whose_name_is_not_utf_8_is_exported(tmp_path: Path, say: Make) -> None:
    store = Store(tmp_path / os.fsdecode(b"root\xff"))
    store.write(ui=[say("text", "hello")])
    task_id = store.task().id
    exported = json.loads(export(store.history, task_id, "json").text)
    assert exported["task"]["root"] == str(store.path)
    assert "hello" in export(store.history, task_id, "markdown").text
