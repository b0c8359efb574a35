"""Shorten texts of agents so that they can be shown, sent and stored."""

TITLE_CHARS = 1_000
NAME_CHARS = 200
COMMAND_CHARS = 16_000
DIFF_CHARS = 32_000
SHOWN_PATHS = 100


def cut_middle(text: str, limit: int) -> str:
    """Return `text` in at most `limit` characters, with a note in place of the middle if it is longer.

    The end stays, because it matters as much as the beginning of a command.
    """
    if len(text) <= limit:
        return text
    note = f" [... {len(text) - limit:,} or more characters left out ...] "
    kept = max(limit - len(note), 0)
    return text[: kept - kept // 2] + note + text[len(text) - kept // 2 :]


def shown_paths(paths: tuple[str, ...], chars: int) -> list[str]:
    """Return the first paths, each cut to `chars`, and an entry in brackets that counts the rest."""
    shown = [cut_middle(path, chars) for path in paths[:SHOWN_PATHS]]
    more = len(paths) - len(shown)
    return [*shown, f"[{more:,} more paths]"] if more else shown
