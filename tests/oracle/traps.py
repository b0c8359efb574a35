"""Task folders that catch a port of the implementation guide: every trap by name, as the bytes of its files.

`python -m tests.oracle.traps OUT` writes them as a root.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

NOW_MS = 1_776_254_400_000
"""2026-04-15T12:00:00Z, the clock that the corpus is judged by."""

DAY = 86_400_000


class Files(NamedTuple):
    """The two message files of a task; None for a missing one."""

    ui: bytes | None
    api: bytes | None


# Texts as they are in a file between quotes, so that escapes stay as they are written.
STATUS_TEXTS = {
    "escaped-letter": r"\u0065rror",
    "escaped-space": r"task\u0020completed",
    "escaped-underscore": r"attempt\u005fcompletion",
    "escape-digit-joins": r"\u00aerror",
    "escape-digit-joins-upper": r"\u20aFailed",
    "escape-digit-joins-han": r"\u662failed",
    "pair-digit-joins": r"\ud83d\udcafailed",
    "newline-by-number": r"\u000attempt_completion",
    "tab-by-number": r"\u0009ask completed",
    "form-feed-by-number": r"\u000cailed",
    "form-feed": r"\failed",
    "tab": r"\task completed",
    "control-e": r"\u000error",
    "control-1f": r"\u001failed",
    "lone-surrogate-digit": r"\ud83failed",
    "lone-low-surrogate-digit": r"\udcaFailed",
    "kelvin": "tas\u212a completed",
    "kelvin-escaped": r"tas\u212a completed",
    "dotted-capital-i": "fa\u0130led",
    "dotless-i": "fa\u0131led",
    "long-s": "\u017fuccessfully completed ta\u017fk completed",
    "mixed-case": "Successfully Completed",
    "exception": "an Exception",
    "slash-escape": r"err\/or",
    "split-word": "err or",
    "nothing": "all is well",
    "delete-character": "error\x7f",
    "color": r"\u001b[31merror\u001b[0m",
    "color-only": r"\u001b[31mred\u001b[0m",
    "letter-by-number-in-color": r"\u001b[31m\u0045rror",
    "kelvin-escaped-in-capitals": r"tas\u212A completed",
    "escaped-backslash": r"\\u0065rror",
    "escaped-backslash-joins": r"\\failed",
}
STATUS_PLACES = {
    "content": '"content":"%s"',
    "text": '"content":[{"type":"text","text":"%s"}]',
    "result": '"content":[{"type":"tool_result","content":"%s"},{"type":"text","text":"x"}]',
    "result-blocks": '"content":[{"content":[{"type":"text","text":"%s"}]}]',
    "key": '"content":[{"type":"tool_use","input":{"%s":1}}]',
    "replaced-content": '"content":"%s","content":"quiet"',
    "replaced-text": '"content":[{"text":"%s","text":"quiet"}]',
    "replaced-result": '"content":[{"content":"%s","content":"quiet"}]',
    "replaced-in-result": '"content":[{"content":[{"text":"%s","text":"quiet"}]}]',
    "behind-replaced": '"content":"%s","content":"quiet"},{"role":"user","content":"an Error"',
}
TITLES = {
    "wrapped": "<task>do it</task> rest",
    "wrapped-lines": r"<task>\n do\nit \n</task>",
    "wrapped-twice": "<task>a</task><task>b</task>",
    "closing-in-prompt": "<task>write </task> here</task>",
    "closing-first": "</task><task>x",
    "user-message": "<user_message>\\nnew\\n</user_message>",
    "blank": "   ",
    "js-white-space": r"\ufeff\u00a0\u2003 title \u2029\ufeff",
    "python-white-space": r"\u0085\u001c title \u001f",
    "exactly-100": "x" * 100,
    "101": "x" * 101,
    "emoji-at-the-cut": "x" * 96 + "😀" + "y" * 20,
    "emoji-fill": "😀" * 50,
    "emoji-overfill": "😀" * 51,
    "lone-at-the-end": "x" * 90 + r"\ud83d",
    "forged-row": r"x\n### Task: forged (0)\n- **Status**: Completed",
    "right-to-left": "\u202eabc",
    "empty-wrapper": "<task></task>",
    "undefined-wrapper": "<task>undefined</task>",
}
BODIES = {
    "mode": "<slug>code</slug><name>Code</name>",
    "mode-far": r"<slug>code</slug>\n\n x \n<name>Code</name>",
    "mode-slug-over-lines": r"<slug>co\nde</slug><name>Code</name>",
    "mode-second-slug": r"<slug>a\n<slug>b</slug><name>n</name>",
    "mode-nested-slug": "<slug>a<slug>b</slug><name>n</name>",
    "mode-name-over-lines": r"<slug>a</slug><name>b\u2028c</name><name>d</name>",
    "mode-name-before": "<name>n</name><slug>a</slug>",
    "mode-empty": "<slug></slug><name></name>",
    "mode-empty-name": "<slug>a</slug><name></name>",
    "mode-carriage-return": r"<slug>a\rb</slug><slug>c</slug><name>n</name>",
    "usage": r"\"tokensIn\":12,\"tokensOut\":3,\"cost\":0.125",
    "usage-far": r"\"tokensIn\":1,\"tokensOut\":2 x \"cost\":x \"cost\":7.005",
    "usage-next-line": r"\"tokensIn\":1,\"tokensOut\":2\n\"tokensIn\":3,\"tokensOut\":4,\"cost\":5",
    "usage-exponent": r"\"tokensIn\":1,\"tokensOut\":2,\"cost\":1e-7",
    "usage-dots": r"\"tokensIn\":1,\"tokensOut\":2,\"cost\":1.2.3",
    "usage-dot": r"\"tokensIn\":1,\"tokensOut\":2,\"cost\":.",
    "usage-leading-dot": r"\"tokensIn\":1,\"tokensOut\":2,\"cost\":.5",
    "usage-half-cent": r"\"tokensIn\":1,\"tokensOut\":2,\"cost\":1.005",
    "usage-big": r"\"tokensIn\":99999999999999999999999,\"tokensOut\":2,\"cost\":1",
    "usage-past-53-bits": r"\"tokensIn\":9007199254740993,\"tokensOut\":2,\"cost\":1",
    "usage-infinite": r"\"tokensIn\":" + "9" * 400 + r",\"tokensOut\":2,\"cost\":" + "9" * 400,
    "usage-costly": r"\"tokensIn\":5,\"tokensOut\":2,\"cost\":562949953421312.12",
    "usage-grouped": r"\"tokensIn\":1234567,\"tokensOut\":2,\"cost\":1234.5",
    "usage-arabic-digits": r"\"tokensIn\":١,\"tokensOut\":2,\"cost\":1",
    "usage-spaced": r"\"tokensIn\": 1,\"tokensOut\":2,\"cost\":1",
    "usage-separator": r"\"tokensIn\":1,\"tokensOut\":2\u2028\"cost\":1",
    "workspace": "Current Workspace Directory (/home/a b)",
    "workspace-bracket": "Current Workspace Directory (C:/Program Files (x86)/p) Files",
    "workspace-empty": "Current Workspace Directory () Current Workspace Directory (/x)",
    "workspace-lines": r"Current Workspace Directory (/a\n/b)",
    "workspace-open": "Current Workspace Directory (/a Current Workspace Directory (/b",
    "workspace-old-heading": "Current Working Directory (/a) Files",
}
# JSON values that no writer means, for every place where one could be; two spaces between them.
_ODD_LINES = r"""
null  true  false  0  -0  1  -1  0.5  1e400  -1e400  1e21  1e-7  8.64e15  8.65e15  9007199254740993
12345678901234567890123  ""  " "  "5"  "text"  "1770482470358"  " 1770482470358 "  "0x10"  "Infinity"
"-Infinity"  "2024-01-05"  "2024-01-05T10:11:12.345Z"  "2024-01-05T24:00:00Z"  "2024-02-31"
"Tue, 5 Mar 2024 10:11:12 GMT"  "+275760-09-13"  "-271821-04-20"  "\ud83d"  []  {}  [5]  ["2024"]  [[],[]]
[null]  [null,1]  [[["x"]]]  {"toString":1}  [{"toString":1}]  {"valueOf":1}  {"length":2}  {"text":5}
{"match":1}  [{"text":"<task>deep</task>"}]  {"__proto__":{"role":"user"}}
"""
ODD_VALUES = [value for line in _ODD_LINES.strip().splitlines() for value in line.split("  ")]
PLACES = {
    "top-ui": ("%s", "[]"),
    "top-api": ("[]", "%s"),
    "element-ui": ('[{"ts":1},%s,{"ts":2}]', "[]"),
    "only-element-ui": ("[%s]", "[]"),
    "element-api": ("[]", '[%s,{"role":"user","content":"x","ts":5}]'),
    "last-element-api": ("[]", '[{"role":"user","content":"x","ts":5},%s]'),
    "first-ts": ('[{"ts":%s},{"ts":1776000000000}]', '[{"ts":1}]'),
    "last-ts-ui": ('[{"ts":1},{"ts":%s}]', '[{"ts":1}]'),
    "last-ts-api": ('[{"ts":1}]', '[{"ts":%s}]'),
    "role": ("[]", '[{"role":%s,"content":"a"},{"role":"user","content":"b"}]'),
    "content": ("[]", '[{"role":"user","content":%s}]'),
    "assistant-content": ("[]", '[{"role":"user","content":"a"},{"role":"assistant","content":%s}]'),
    "content-between-finds": (
        "[]",
        '[{"content":"Current Workspace Directory (/w)"},{"role":"assistant","content":%s},'
        '{"content":"<slug>a</slug><name>b</name>"}]',
    ),
    "block": ("[]", '[{"role":"user","content":[{"text":"a"},%s]}]'),
    "first-block": ("[]", '[{"role":"user","content":[%s,{"text":"a"}]}]'),
    "block-text": ("[]", '[{"role":"user","content":[{"text":"a"},{"text":%s}]}]'),
    "first-block-text": ("[]", '[{"role":"user","content":[{"text":%s}]}]'),
}
# What only a whole parse, or nobody, may take; each is where nothing that matters should be.
UNREAD = {
    "lone-surrogate": r'"\ud83d"',
    "bad-escape": r'"\x41"',
    "short-escape": r'"\u12"',
    "raw-control": '"a\nb"',
    "infinite": "1e400",
    "nan": "NaN",
    "leading-zero": "01",
    "bare-point": "1.",
    "bare-minus": "-",
    "bare-exponent": "1e",
    "half-word": "tru",
    "trailing-comma": "[1,]",
    "digits": "9" * 5_000,
    "deep-900": "[" * 900 + "]" * 900,
    "deep-objects": '{"a":' * 2_000 + r'"\u0065rror"' + "}" * 2_000,
    "deep-4000": "[" * 4_000 + "]" * 4_000,
}
UNREAD_PLACES = {
    "ui": ('[{"ts":1776200000000,"x":%s},{"ts":1776200000005}]', "[]"),
    "ui-middle": ('[{"ts":1776200000000},{"ts":%s},{"ts":1776200000005}]', "[]"),
    "api": ("[]", '[{"role":"user","content":"hi","x":%s,"ts":1776200000000}]'),
    "block": ("[]", '[{"role":"user","content":[{"text":"hi","input":%s},{"content":%s}]}]'),
    "replaced": ("[]", '[{"role":"user","content":%s,"content":"hi"}]'),
}
SHAPES = {
    "escaped-names": r'[{"\u0072ole":"user","c\u006fntent":[{"te\u0078t":"hi"}],"\u0074s":1776200000000}]',
    "names-in-capitals": '[{"Role":"user","CONTENT":"x","Ts":1776200000000}]',
    "replaced-names": '[{"role":"x","role":"user","content":5,"content":"hi","ts":"a","ts":1776200000000}]',
    "replaced-by-odd": '[{"role":"user","content":"hi","content":5,"ts":1776200000000}]',
    "nulls": '[{"role":"user","content":[{"text":null},{},{"text":"hi"}],"ts":null},{"content":null}]',
    "no-content": '[{"role":"user"},{"role":"user","content":"second"},{}]',
    "empty-texts": '[{"role":"user","content":[{"text":""},{"text":"hi"}]},{"role":"user","content":[]}]',
    "spread-mode": '[{"content":[{"text":"<slug>a</slug>"},{"text":"<name>b</name>"}]}]',
    "spread-heading": '[{"content":[{"text":"Current Workspace"},{"text":"Directory (/w)"}]}]',
    "spread-usage": r'[{"role":"user","content":[{"text":"\"tokensIn\":1,\"tokensOut\":2"},'
    r'{"text":"\"cost\":3"}]}]',
    "too-deep": '[{"role":"user","content":"hi","x":' + "[" * 20_000 + "]" * 20_000 + "}]",
    "numbers-of-messages": '[{"ts":1e3},{"ts":-0},{"ts":0.0},{"ts":18446744073709551616}]',
}
GOOD_UI = b'[{"ts":1776200000000,"type":"say","say":"text","text":"hello"}]'
GOOD_API = b'[{"role":"user","content":[{"type":"text","text":"<task>hello</task>"}],"ts":1776200001000}]'
DAMAGED = {
    "empty": b"",
    "blank": b"  \n",
    "bom": b"\xef\xbb\xbf[]",
    "utf-16": "[]".encode("utf-16"),
    "cut": GOOD_API[:-9],
    "stray-bracket": GOOD_API + b"]",
    "stray-nul": GOOD_API + b"\0\0",
    "zeros": b"\0" * 512,
    "nan": b'[{"ts":NaN}]',
    "infinity": b'[{"ts":-Infinity}]',
    "trailing-comma": b"[1,]",
    "single-quotes": b"['a']",
    "comment": b"[] // done",
    "raw-control": b'["a\nb"]',
    "leading-zero": b"[01]",
    "plus": b"[+1]",
    "hex-escape": b'["\\x41"]',
    "short-escape": b'["\\u12"]',
    "signed-escape": b'["\\u+123"]',
    "vertical-tab": b"[\x0b]",
    "no-break-space": "[\u00a0]".encode(),
    "invalid-utf-8": b'[{"role":"user","content":"\xff\xc3(\xe2\x82\xf0\x9f\x98 error\xed\xa0\x80"}]',
    "overlong": b'["\xc0\xaf\xe0\x80\xaf"]',
    "version-2": b'{"version":2,"messages":[]}',
    "array-like": b'{"length":1,"0":{"ts":5}}',
    "duplicate-key": b'[{"role":"user","content":"task completed","content":"quiet"}]',
    "duplicate-key-wins": b'[{"role":"user","content":"quiet","content":"task completed"}]',
    "duplicate-key-nested": b'[{"a":{"b":"failed","b":1}},{"c":[{"d":"exception","d":""}]}]',
    "keyword-as-key": b'[{"role":"user","content":"x","is_error":false}]',
    "keyword-over-messages": b'["task",{"completed":1},"task"," completed"]',
    "pretty": json.dumps(json.loads(GOOD_API), indent=2).encode(),
    "windows-lines": json.dumps(json.loads(GOOD_API), indent=2).replace("\n", "\r\n").encode(),
    "deep-900": b"[" + b"[" * 900 + b"]" * 900 + b"]",
    "deep-2000": b"[" + b'{"a":[' * 1000 + b'"error"' + b"]}" * 1000 + b"]",
    "deep-3000-strings": b"[" + b"[" * 3000 + b'"\\u0065rror"' + b"]" * 3000 + b"]",
    "deep-100000": b"[" * 100_000 + b"]" * 100_000,
    "deep-unclosed": b"[" * 3000,
    "deep-text": b'[{"role":"user","content":[{"text":' + b"[" * 1500 + b'"a"' + b"]" * 1500 + b"}]}]",
    "deep-text-too-far": b'[{"role":"user","content":[{"text":'
    + b"[" * 3500
    + b'"a"'
    + b"]" * 3500
    + b"}]}]",
}


def traps() -> dict[str, Files]:
    """Return every trap by name."""
    found: dict[str, Files] = {}
    for name, text in STATUS_TEXTS.items():
        message = f'[{{"ts":{NOW_MS - 2 * DAY},"text":"{text}"}}]'.encode()
        found[f"status-ui-{name}"] = Files(message, GOOD_API)
        found[f"status-api-{name}"] = Files(GOOD_UI, message)
        for place, members in STATUS_PLACES.items():
            history = f'[{{"role":"user",{members.replace("%s", text)},"ts":{NOW_MS - 2 * DAY}}}]'
            found[f"status-{place}-{name}"] = Files(b"[]", history.encode())
    for name, text in TITLES.items():
        found[f"title-{name}"] = Files(GOOD_UI, f'[{{"role":"user","content":"{text}"}}]'.encode())
    for name, text in BODIES.items():
        block = f'[{{"role":"user","content":[{{"text":"hi"}},{{"text":"{text}"}}],"ts":5}}]'.encode()
        found[f"body-{name}"] = Files(GOOD_UI, block)
    for place, (ui, api) in PLACES.items():
        for number, value in enumerate(ODD_VALUES):
            files = Files(ui.replace("%s", value).encode(), api.replace("%s", value).encode())
            found[f"odd-{place}-{number}"] = files
    for name, data in DAMAGED.items():
        found[f"damaged-ui-{name}"] = Files(data, GOOD_API)
        found[f"damaged-api-{name}"] = Files(GOOD_UI, data)
    for place, (ui, api) in UNREAD_PLACES.items():
        for name, value in UNREAD.items():
            files = Files(ui.replace("%s", value).encode(), api.replace("%s", value).encode())
            found[f"unread-{place}-{name}"] = files
    for name, text in SHAPES.items():
        found[f"shape-ui-{name}"] = Files(text.encode(), GOOD_API)
        found[f"shape-api-{name}"] = Files(GOOD_UI, text.encode())
    found["missing-ui"] = Files(None, GOOD_API)
    found["missing-api"] = Files(GOOD_UI, None)
    return found | {f"plain-{name}": files for name, files in plain_tasks()}


def plain_tasks() -> Iterator[tuple[str, Files]]:
    """Yield ordinary tasks: of each era, at each age, with each ending."""
    ages = {
        "minutes": 600_000,
        "day": DAY,
        "day-and-ms": DAY + 1,
        "week": 7 * DAY,
        "week-and-ms": 7 * DAY + 1,
    }
    endings = {
        "waiting": ("ask", "followup"),
        "done": ("ask", "completion_result"),
        "failed": ("say", "error"),
    }
    for age, ms in ages.items():
        for ending, (kind, word) in endings.items():
            for era, first in {"old": "<task>", "new": "<user_message>", "wordless": ""}.items():
                last = NOW_MS - ms
                ui = [
                    {"ts": last - 3_723_000, "type": "say", "say": "text", "text": f"{era} prompt"},
                    {"ts": last, "type": kind, kind: word, "text": ""},
                ]
                prompt = f"{first}{era} prompt{first.replace('<', '</')}"
                api: list[dict[str, object]] = [{"role": "user", "content": prompt, "ts": last - 1000}]
                api.append({"role": "assistant", "content": [{"type": "text", "text": "Grüße 日本 😀"}]})
                if era != "wordless":
                    api[-1]["ts"] = last - 10
                yield (
                    f"{age}-{ending}-{era}",
                    Files(json.dumps(ui, ensure_ascii=era == "old").encode(), json.dumps(api).encode()),
                )


def task_name(number: int) -> str:
    """Name a task's folder: a UUID, every seventh in capitals."""
    name = f"{number * 2_654_435_761 % 2**32:08x}-abcd-4000-8000-{number:012x}"
    return name.upper() if number % 7 == 0 else name


def write_root(root: Path, files: dict[str, Files]) -> None:
    """Write tasks as `root`, with names among them that the guide ignores."""
    for number, task in enumerate(files.values()):
        write_task(root / "tasks" / task_name(number), task)
    for name in (
        "1776200000000",
        "_index.json",
        task_name(1) + "x",
        "g" + task_name(2)[1:],
        task_name(3)[:-1] + "\n",
    ):
        write_task(root / "tasks" / name, Files(GOOD_UI, GOOD_API))
    (root / "tasks" / "ffffffff-ffff-ffff-ffff-ffffffffffff").write_text("a file, not a folder")


def write_task(folder: Path, task: Files) -> None:
    """Write one task's files."""
    folder.mkdir(parents=True)
    if task.ui is not None:
        (folder / "ui_messages.json").write_bytes(task.ui)
    if task.api is not None:
        (folder / "api_conversation_history.json").write_bytes(task.api)


if __name__ == "__main__":
    write_root(Path(sys.argv[1]), traps())
