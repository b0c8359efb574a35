"""Parse the commands that a shell runs for a line, unless the line can run others too."""

import re
import shlex
from typing import NamedTuple

from sidecar.subagents.paths import wildcard

MAX_CHARS = 8_192
"""The longest line that is parsed. A longer line must equal the pattern."""
MAX_COMMANDS = 100
_OPERATORS = ";|&\n"
_HARMLESS = re.compile(r"(?<![ \t])[ \t]+[12]?>(?:&[12]|[ \t]*/dev/null)(?=[ \t\n;&|]|$)")
"""A redirection that does not write a file, up to the end of its word in a shell."""
_OPAQUE = re.compile(r"[`<>()\r\0]|\$\S|(?:^|[\s;&|])#|\\\n")
"""Syntax with which a shell runs or writes something that the words do not show, or ignores words.

CR counts because a shell reads it as part of a word. An expansion can run commands by itself: `${x@P}`,
`$[...]`, `$((...))`.
"""
_QUOTED = re.compile(r"'[^']*'|\"(?:\\.|[^\"\\])*\"|\\.", re.DOTALL)
_BRACES = re.compile(r"\{[^{}]*(?:,|\.\.)")
"""Braces, which a shell expands to other words, including options."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_RISKS = {
    "git": "-c -C --config-env --exec-path --git-dir --work-tree --namespace",
    "git *": "--upload-pack --receive-pack --exec --output --output-directory --ext-diff --template "
    "--smtp-server --separate-git-dir",
    "git apply": "--unsafe-paths",
    "git archive": "-o --remote",
    "git bisect": "run",
    "git bugreport": "-o",
    "git checkout-index": "--prefix",
    "git clone": "-u -c --config",
    "git diagnose": "-o",
    "git difftool": "-x --extcmd",
    "git fast-export": "--export-marks",
    "git fast-import": "--export-marks",
    "git format-patch": "-o",
    "git grep": "-O --open-files-in-pager",
    "git index-pack": "-o",
    "git maintenance": "start stop register unregister --config-file",
    "git mailsplit": "-o",
    "git multi-pack-index": "--object-dir",
    "git read-tree": "--index-output",
    "git rebase": "-x",
    "git submodule": "foreach",
    "find": "-exec -execdir -ok -okdir -delete -fprint -fprint0 -fprintf -fls",
    "fd": "-x -X --exec --exec-batch",
    "rg": "--pre --hostname-bin",
    "tar": "-I -F --to-command --checkpoint-action --use-compress-program --rsh-command --info-script "
    "--new-volume-script",
    "sort": "-o --output --compress-program",
    "rsync": "-e --rsh --rsync-path",
    "curl": "-o -O -K --output --remote-name --config",
    "wget": "-O -P -e --output-document --directory-prefix --execute --use-askpass",
    "ssh": "-o -F",
    "npm": "-C exec x explore config set --prefix --script-shell --userconfig --globalconfig --node-options",
}
"""Options and words with which programs run others, write files or leave their folder.

The options of `git` precede its subcommand; those of `git *` follow any subcommand.
"""
_GIT_RISKS = _words(
    "config filter-branch daemon shell send-email hook credential credential-store credential-cache "
    "http-backend upload-pack receive-pack mergetool instaweb web--browse archimport citool cvsexportcommit "
    "cvsimport for-each-repo fsmonitor--daemon gui http-push imap-send p4 quiltimport send-pack svn"
)
"""Subcommands of Git that do so without options."""
_GIT_WRITERS = _words(
    "bundle checkout checkout-index clean clone init init-db interpret-trailers mailinfo merge-file mv "
    "pack-objects push restore rm submodule worktree"
)
"""Subcommands of Git that write or delete where a path says."""
_ELSEWHERE = re.compile(r"(?:^|[/\\])(?P<up>\.\.)(?=$|[/\\])|^(?P<root>[/~\\]|file:|[A-Za-z]:[/\\])")
"""The part of a path that leads out of the directory."""
_WRAPPERS = _words(
    "sh bash dash zsh ksh fish csh tcsh busybox env command exec builtin eval . source time nice ionice "
    "nohup setsid stdbuf timeout flock watch strace xargs parallel sudo doas su chroot unshare ssh script"
)
"""Programs that run others. A `*` in place of a program does not match them."""


class Command(NamedTuple):
    """One command of a line without quotes; `is_expanded` if a shell may expand its words to others."""

    words: tuple[str, ...]
    is_expanded: bool

    @property
    def text(self) -> str:
        """The words, joined with spaces."""
        return " ".join(self.words)


def commands(line: str) -> list[Command]:
    """Return the commands of a line without quotes; none if the line may do more than they show."""
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
    except ValueError:  # an unclosed quote
        return []
    given = [words for words in found if words]
    # A quoted program name with a space is not the program and argument that a pattern means.
    if len(given) > MAX_COMMANDS or any(len(words[0].split()) != 1 for words in given):
        return []
    is_expanded = _BRACES.search(_QUOTED.sub("", bare)) is not None
    return [Command(tuple(words), is_expanded) for words in given]


def fits(command: Command, pattern: str) -> bool:
    """Return whether one command matches a pattern.

    `git:*` and `git *` match `git` with any arguments or none, `git*` matches anything with this prefix. A
    `*` does not match words with which the program runs another, writes a file or leaves its folder.
    """
    wanted = f"{pattern[:-2]} *" if pattern.endswith(":*") else pattern
    without = wanted.removesuffix(" *")
    named = wildcard.fits(command.text, wanted) or (
        without != wanted and wildcard.fits(command.text, without)
    )
    return named and (command.text == wanted or _is_safe(command, wanted.split()))


def _is_safe(command: Command, wanted: list[str]) -> bool:
    program = command.words[0].rsplit("/", 1)[-1]
    if "*" in wanted[0] and (program in _WRAPPERS or "=" in command.words[0]):
        return False
    if program not in _RISKS:
        return True
    return not command.is_expanded and all(
        any(each.startswith(risk) for each in wanted) for risk in _risks(program, command.words[1:])
    )


def _risks(program: str, words: tuple[str, ...]) -> list[str]:
    """Return the risky options and subcommands. A pattern must name them."""
    if program != "git":
        return _named(_RISKS[program], words)
    at = next((at for at, word in enumerate(words) if not word.startswith("-")), len(words))
    subcommand, rest = "".join(words[at : at + 1]), words[at + 1 :]
    found = _named(_RISKS["git"], words[:at]) + _named(_RISKS["git *"], rest)
    found += _named(_RISKS.get(f"git {subcommand}", ""), rest)
    found += [word for word in rest if "::" in word]  # a transport that is a program
    if subcommand in _GIT_WRITERS:
        found += [part for word in rest for part in _elsewhere(word)]
    return [*found, subcommand] if subcommand in _GIT_RISKS else found


def _elsewhere(word: str) -> list[str]:
    """Return the parts of a path, or of the value of an option, that lead out of the directory."""
    value = re.sub(r"^(?:--?[\w-]+=|-[A-Za-z](?=[/~.]))", "", word)
    return [part for each in _ELSEWHERE.finditer(value) for part in (each["up"], each["root"]) if part]


def _named(risks: str, words: tuple[str, ...]) -> list[str]:
    first = next((word for word in words if not word.startswith("-")), "")  # a subcommand
    options = [word for word in words if word.startswith("-")]
    found = [_as_option(word, risk) for word in options for risk in risks.split() if risk[0] == "-"]
    return [each for each in (*found, first if first in risks.split() else None) if each]


def _as_option(word: str, risk: str) -> str | None:
    """Return the risky option in a word. Long options may be abbreviated, short options joined."""
    name = word.split("=", 1)[0]
    if risk.startswith("--"):
        return name if len(name) > 2 and risk.startswith(name) else None
    if len(risk) > 2:
        return word if word == risk else None
    if word.startswith("--") or risk[1] not in word[1:]:
        return None
    return risk if word.startswith(risk) else word
