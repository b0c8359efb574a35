"""Valid files with hostile texts, numbers and names; the codes are the expected problems."""

import json
from pathlib import Path
from typing import Any

from tests.generator.hostile import API_BYTES, ASKED, DONE, PROMPT, START, UI_BYTES, hostile, put, text


def titled(folder: Path, title: str) -> None:
    put(folder, ui=text([dict(PROMPT, text=title), DONE]))


def environment(*lines: str) -> dict[str, Any]:
    body = "\n".join(["<environment_details>", *lines, "</environment_details>"])
    return {"role": "user", "ts": START, "content": [{"type": "text", "text": body}]}


def request(**figures: object) -> dict[str, Any]:
    return {"ts": START, "type": "say", "say": "api_req_started", "text": json.dumps(figures)}


# Titles


@hostile()
def title_of_bidi_marks(folder: Path) -> None:
    titled(folder, "a\u202eb\u2066c\u2069\u200f\u061cd")


@hostile()
def title_of_nothing_visible(folder: Path) -> None:
    titled(folder, "\u200b\u200d\ufeff\u2060")


@hostile()
def title_of_stacked_accents(folder: Path) -> None:
    titled(folder, "z" + "\u0301" * 20_000)


@hostile()
def title_of_line_ends(folder: Path) -> None:
    titled(folder, "\n\r\x85\u2028\u2029\x0b\x0c" * 2_000)


@hostile()
def title_of_terminal_commands(folder: Path) -> None:
    titled(folder, "\x1b]0;owned\x07\x1b[2J\x9b31m\x08\x7fdone")


@hostile()
def title_of_zero_characters(folder: Path) -> None:
    titled(folder, "a\0b\0")


@hostile()
def title_that_forges_rows_by_separators(folder: Path) -> None:
    titled(folder, "x\u2028### Task: forged (1)\u2029- **Status**: Completed\x85y")


@hostile()
def title_of_closing_tags(folder: Path) -> None:
    titled(folder, "</task></user_message><task>" * 20_000)


@hostile()
def title_of_characters_that_are_none(folder: Path) -> None:
    titled(folder, "\uffff\ufffe\U0010ffff\ufdd0")


@hostile()
def title_of_half_characters(folder: Path) -> None:
    put(folder, ui=UI_BYTES.replace(b"Find the bug", b"\\udc00\\ud83d" * 30_000))


@hostile()
def title_that_is_a_formula(folder: Path) -> None:
    titled(folder, '=cmd|"/c calc"!A1\t$(reboot) `reboot` [x](javascript:alert(1)) <script>')


# Environment blocks


@hostile()
def mode_that_forges_rows(folder: Path) -> None:
    slug = "code\n### Task: forged (1)\n\x1b[2J"
    put(folder, api=text([environment("# Current Mode", f"<slug>{slug}</slug>", "<name>\u202e</name>")]))


@hostile()
def mode_of_a_megabyte(folder: Path) -> None:
    put(folder, api=text([environment("# Current Mode", f"<slug>{'m' * 1_000_000}</slug>")]))


@hostile()
def workspace_of_a_megabyte(folder: Path) -> None:
    heading = f"# Current Workspace Directory (/{'w' * 1_000_000}) Files"
    put(folder, api=text([environment(heading)]))


@hostile()
def workspace_that_forges_rows(folder: Path) -> None:
    put(folder, api=text([environment("# Current Workspace Directory (/a\u2028\x1b[2J) b) Files")]))


@hostile()
def environments_inside_each_other(folder: Path) -> None:
    put(folder, api=text([environment(*["<environment_details>\n# Current Mode\n<slug>a</slug>"] * 20_000)]))


@hostile()
def environments_never_closed(folder: Path) -> None:
    shown = {"role": "user", "content": "<environment_details>\n# Current Mode\n<slug>" * 20_000}
    put(folder, api=text([shown]))


@hostile()
def very_many_environments(folder: Path) -> None:
    put(folder, api=text([environment("# Current Mode", "nothing")] * 8_000))


@hostile("missing")
def wrappers_across_each_other(folder: Path) -> None:
    shown = {"role": "user", "content": "<task><user_message></task></user_message>" * 20_000}
    put(folder, ui=None, api=text([shown]))


# Numbers


@hostile()
def costs_that_add_up_to_infinity(folder: Path) -> None:
    put(folder, ui=text([PROMPT, request(cost=1.7e308), request(cost=1.7e308), DONE]))


@hostile()
def tokens_beyond_64_bits(folder: Path) -> None:
    put(folder, ui=text([PROMPT, request(tokensIn=10**30, tokensOut=2**63), DONE]))


@hostile()
def tokens_that_add_up_beyond_64_bits(folder: Path) -> None:
    put(folder, ui=text([PROMPT, *[request(tokensIn=2**62, tokensOut=2**62)] * 9, DONE]))


@hostile()
def negative_figures(folder: Path) -> None:
    put(folder, ui=text([PROMPT, request(tokensIn=-5, tokensOut=-1, cost=-0.5), DONE]))


@hostile()
def figures_that_are_truth_values(folder: Path) -> None:
    put(folder, ui=text([PROMPT, request(tokensIn=True, cost=False, tokensOut=[1]), DONE]))


@hostile()
def usage_nested_too_deep(folder: Path) -> None:
    deep = dict(request(), text='{"tokensIn":' + "[" * 100_000 + "]" * 100_000 + "}")
    put(folder, ui=text([PROMPT, deep, DONE]))


@hostile()
def condensing_costs_of_odd_types(folder: Path) -> None:
    says = [{"ts": START, "type": "say", "say": "condense_context", "contextCondense": it} for it in _ODD]
    put(folder, ui=text([PROMPT, *says, DONE]))


@hostile()
def times_at_the_ends_of_time(folder: Path) -> None:
    moments = (946_684_800_000, 4_102_444_800_000, -1, 8.64e15, 1e21, -0.0, 1e-300)
    put(folder, ui=text([dict(PROMPT, ts=ts) for ts in moments]))


@hostile()
def times_that_run_backwards(folder: Path) -> None:
    put(folder, ui=text([dict(PROMPT, ts=START - n * 1_000) for n in range(5_000)]))


# Kinds


@hostile()
def only_resume_asks(folder: Path) -> None:
    put(folder, ui=text([{"ts": START + n, "type": "ask", "ask": "resume_task"} for n in range(10_000)]))


@hostile()
def asks_of_odd_tools(folder: Path) -> None:
    asks = [dict(DONE, ask="tool", text=json.dumps({"tool": it})) for it in _ODD]
    put(folder, ui=text([PROMPT, *asks]))


@hostile()
def kinds_nobody_knows(folder: Path) -> None:
    odd = [{"ts": START, "type": kind, "say": kind, "ask": kind} for kind in ("", "\n", "x" * 99_999, "ask")]
    put(folder, ui=text([PROMPT, *odd]))


@hostile()
def cancel_reasons_of_odd_types(folder: Path) -> None:
    put(folder, ui=text([PROMPT, *[request(cancelReason=it) for it in _ODD]]))


@hostile()
def blocks_of_odd_types(folder: Path) -> None:
    blocks = [*_ODD, *({"type": it, "text": it, "content": it, "input": it} for it in _ODD)]
    put(folder, api=text([dict(ASKED, content=blocks), dict(ASKED, role="assistant", content=blocks)]))


@hostile()
def models_of_odd_types(folder: Path) -> None:
    infos = [dict(PROMPT, modelInfo=it) for it in (*_ODD, *({"modelId": it, "mode": it} for it in _ODD))]
    put(folder, ui=text(infos))


@hostile()
def an_image_of_two_megabytes(folder: Path) -> None:
    put(folder, ui=text([dict(PROMPT, text="", images=["data:image/png;base64," + "A" * 2_000_000])]))


@hostile()
def a_text_of_quotes_and_backslashes(folder: Path) -> None:
    put(folder, ui=text([dict(PROMPT, text='\\"' * 250_000)]), api=API_BYTES)


_ODD: list[Any] = [None, True, 0, -1.5, "", "\0", [], [[]], {}, {"a": {}}, "\u202e"]
