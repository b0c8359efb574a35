"""Keep the key of the model out of everything that a command of the agent can read.

The initial environment of a process stays readable in `/proc/<pid>/environ`, even if the process removes
variables. Therefore the program reads its settings and starts itself again without keys in the environment.
The second start receives the settings through a pipe.
"""

import json
import os
import re
import sys
from collections.abc import Mapping
from dataclasses import asdict
from typing import NoReturn

from sidecar.subagents.runners.builtin_settings import VISIBLE, BuiltinSettings
from sidecar.subagents.runners.process.parent_death import prctl

_PR_SET_DUMPABLE = 4
"""From linux/prctl.h; see prctl(2)."""
_KEY_NAME = re.compile(
    r".*_API_KEYS?|ANTHROPIC_AUTH_TOKEN|AWS_BEARER_TOKEN_BEDROCK|AZURE_OPENAI_AD_TOKEN|CLAUDE_CODE_OAUTH_TOKEN|"
    r"HF_TOKEN|HUGGING_?FACE_HUB_TOKEN|REPLICATE_API_TOKEN"
)
"""Variables that usually contain keys of model providers."""
_MIN_CHARS = 12
"""A shorter key protects nothing and may be a common word, such as `none` for a server that needs no key."""


def without_keys(environ: Mapping[str, str], settings: BuiltinSettings) -> dict[str, str]:
    """Return the environment without the keys of model providers.

    Keep the variables named in `VISIBLE`, but remove the key in use from every variable.
    """
    passed = {name.strip() for name in environ.get(VISIBLE, "").split(",")}
    return {
        name: value
        for name, value in environ.items()
        if not (value == settings.key and _is_secret(value))
        and name != settings.key_variable
        and (name in passed or not _KEY_NAME.fullmatch(name.upper()))
    }


def redact(text: str, settings: BuiltinSettings) -> str:
    """Replace the key in `text` with asterisks."""
    return text.replace(settings.key, "***") if _is_secret(settings.key) else text


def start_again(settings: BuiltinSettings, environ: Mapping[str, str], option: str) -> NoReturn:
    """Start this program again in the same process with another environment.

    `option` gets the number of the pipe with the settings.
    """
    reader, writer = os.pipe()
    os.set_inheritable(reader, True)
    with os.fdopen(writer, "w") as pipe:
        json.dump(asdict(settings), pipe)
    os.execve(sys.executable, [*sys.orig_argv, f"{option}={reader}"], dict(environ))  # noqa: S606


def received(descriptor: int) -> BuiltinSettings:
    """Read the settings that the first start wrote to the pipe."""
    with os.fdopen(descriptor) as pipe:
        return BuiltinSettings(**json.load(pipe))


def close_memory() -> None:
    """Linux: hide this process's memory and its files in /proc from other processes of the same user.

    Root can still read them, which is why the key must not be in the environment.
    """
    if sys.platform == "linux":
        prctl()(_PR_SET_DUMPABLE, 0)


def _is_secret(key: str) -> bool:
    return len(key) >= _MIN_CHARS
