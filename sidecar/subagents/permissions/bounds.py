"""Texts of agents, short enough to be shown, sent and kept."""

TITLE_CHARS = 1_000
NAME_CHARS = 200
COMMAND_CHARS = 16_000
DIFF_CHARS = 32_000
SHOWN_PATHS = 100


def cut_middle(text: str, limit: int) -> str:
    """Return `text`, or its beginning and its end with a note between them, in at most `limit` characters.

    The end of a command matters as much as its beginning.
    """
    if len(text) <= limit:
        return text
    note = f" [... {len(text) - limit:,} or more characters left out ...] "
    kept = max(limit - len(note), 0)
    return text[: kept - kept // 2] + note + text[len(text) - kept // 2 :]


def shown_paths(paths: tuple[str, ...], chars: int) -> list[str]:
    """Return the first paths, each cut to `chars`; a last entry in brackets counts the others."""
    shown = [cut_middle(path, chars) for path in paths[:SHOWN_PATHS]]
    more = len(paths) - len(shown)
    return [*shown, f"[{more:,} more paths]"] if more else shown
