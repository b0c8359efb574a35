"""The commands that a shell would run for a line, where the line's words show all of them."""

import re
import shlex

from sidecar.subagents.paths import wildcard

MAX_CHARS = 8_192
"""Characters of a line that is taken apart; a longer one fits only word for word."""
MAX_COMMANDS = 100
_OPERATORS = ";|&\n"
_HARMLESS = re.compile(r"(?<![ \t])[ \t]+[12]?>(?:&[12]|[ \t]*/dev/null)(?=[ \t\n;&|]|$)")
"""A redirection that writes no file. Only what ends a word for a shell ends it: others belong to a name."""
_OPAQUE = re.compile(r"[`<>()\r\0]|\$\S|(?:^|[\s;&|])#")
"""Where a shell runs, writes or leaves out what the words do not show; it takes CR for a letter.

An expansion can run commands by itself: `${x@P}`, `$[...]`, `$((...))`.
"""


def commands(line: str) -> list[str]:
    """Return the commands of a line, quotes removed; none if it may do more than they show."""
    if len(line) > MAX_CHARS:
        return []
    bare = _HARMLESS.sub(" ", line.strip(" \t\n"))
    if _OPAQUE.search(bare):
        return []
    lexer = shlex.shlex(bare, posix=True, punctuation_chars=_OPERATORS)
    lexer.whitespace, lexer.commenters, lexer.whitespace_split = " \t", "", True
    found: list[list[str]] = [[]]
    try:
        for word in lexer:
            if word and not word.strip(_OPERATORS):
                found.append([])
            else:
                found[-1].append(word)
    except ValueError:  # a quote that nothing closes
        return []
    given = [words for words in found if words]
    # A name with a blank in it is not the program that a pattern means by the same letters.
    if len(given) > MAX_COMMANDS or any(len(words[0].split()) != 1 for words in given):
        return []
    return [" ".join(words) for words in given]


def fits(command: str, pattern: str) -> bool:
    """Tell whether one command fits.

    `git:*` and `git *` are `git` with any arguments or none, `git*` whatever begins so.
    """
    wanted = f"{pattern[:-2]} *" if pattern.endswith(":*") else pattern
    without = wanted.removesuffix(" *")
    return wildcard.fits(command, wanted) or (without != wanted and wildcard.fits(command, without))
