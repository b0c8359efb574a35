"""The key of the model is not readable where a command of the agent could find it."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sidecar.subagents.runners.builtin.key_protection import redact, without_keys
from sidecar.subagents.runners.builtin_settings import BuiltinSettings
from sidecar.subagents.runners.process.module_command import module_command

KEY = "sk-a-secret-of-the-user"
OTHER = "sk-another-secret"


def settings(key: str = KEY) -> BuiltinSettings:
    return BuiltinSettings(provider="openai", model="m", base_url=None, key_variable="MY_KEY", key=key)


def test_keys_of_all_providers_are_removed_and_other_variables_stay() -> None:
    keys = ["OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY", "AZURE_OPENAI_API_KEY"]
    keys += ["ANTHROPIC_AUTH_TOKEN", "HF_TOKEN", "SOMEBODY_S_API_KEY", "acme_api_key", "MY_KEY"]
    rest = {"PATH": "/bin", "HOME": "/home/me", "API_KEY_FILE": "/a", "KEYBOARD": "de"}
    assert without_keys({**dict.fromkeys(keys, OTHER), **rest}, settings()) == rest


def test_the_key_in_use_is_found_under_any_name() -> None:
    assert without_keys({"COPY": KEY, "A": "b"}, settings()) == {"A": "b"}


def test_a_key_that_is_a_common_word_removes_no_variable_and_no_text() -> None:
    assert without_keys({"MY_KEY": "none", "EDITOR": "none"}, settings("none")) == {"EDITOR": "none"}
    assert redact("none was found", settings("none")) == "none was found"
    assert redact(f"bad key {KEY}", settings()) == "bad key ***"


def test_a_variable_can_be_kept_by_name_but_never_the_key_in_use() -> None:
    environ = {
        "STRIPE_API_KEY": OTHER,
        "MY_KEY": KEY,
        "SIDECAR_AGENT_VISIBLE_VARIABLES": "STRIPE_API_KEY, MY_KEY",
    }
    passed = without_keys(environ, settings())
    assert "MY_KEY" not in passed
    assert passed["STRIPE_API_KEY"] == OTHER


@pytest.fixture
def agent(tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A running agent process that has answered its first request."""
    environ = {
        **os.environ,
        "SIDECAR_AGENT_PROVIDER": "openai",
        "SIDECAR_AGENT_KEY_VARIABLE": "MY_KEY",
        "MY_KEY": KEY,
        "ANTHROPIC_API_KEY": OTHER,
    }
    command = [*module_command("sidecar.subagents.runners.builtin"), "--model=m"]
    with subprocess.Popen(
        command, env=environ, cwd=tmp_path, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        request = {"protocolVersion": 1, "clientCapabilities": {}}
        assert answer(process, "initialize", request)["protocolVersion"] == 1
        yield process
        process.send_signal(signal.SIGKILL)


def answer(process: subprocess.Popen[bytes], method: str, params: dict[str, Any]) -> dict[str, Any]:
    assert process.stdin is not None
    assert process.stdout is not None
    request = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    process.stdin.write(json.dumps(request).encode() + b"\n")
    process.stdin.flush()
    result: dict[str, Any] = json.loads(process.stdout.readline())["result"]
    return result


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has /proc")
def test_no_key_is_in_the_environment_or_the_arguments_of_the_agent(agent: subprocess.Popen[bytes]) -> None:
    proc = Path("/proc", str(agent.pid))
    visible = (proc / "environ").read_bytes() + (proc / "cmdline").read_bytes()
    assert b"PATH=" in visible
    assert KEY.encode() not in visible
    assert OTHER.encode() not in visible


_READS_ITS_PARENT = """
import os
from sidecar.subagents.runners.builtin.key_protection import close_memory
from sidecar.subagents.runners.process.parent_death import prctl

if os.getuid() == 0:
    os.setuid(65534)  # root reads everything
prctl()(4, 1)  # a change of the user closes the memory too

def child_can_read():
    child = os.fork()
    if child == 0:
        try:
            os.open(f"/proc/{os.getppid()}/environ", os.O_RDONLY)
            os._exit(0)
        except PermissionError:
            os._exit(1)
    return os.waitpid(child, 0)[1] == 0

before = child_can_read()
close_memory()
print(before, child_can_read())
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has /proc")
def test_a_command_of_the_same_user_cannot_read_the_memory_of_the_agent() -> None:
    done = subprocess.run(
        [sys.executable, "-c", _READS_ITS_PARENT], capture_output=True, text=True, timeout=30, check=True
    )
    assert done.stdout == "True False\n"
