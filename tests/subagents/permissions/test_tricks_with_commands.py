"""Command lines that try to run or write more than a rule allows."""

from pathlib import Path
from typing import Any

import pytest

from sidecar.subagents.permissions.tool_rule import ToolRule
from sidecar.subagents.runners.acp.asking.question import question_of

Json = dict[str, Any]

AFTER_GIT_LOG = [
    *("; rm x", ";rm x", " ;; rm x", "&& rm x", "&&rm x", "|| rm x", "| sh", "|sh", "|& sh", "& rm x", "&rm x"),
    *("\nrm x", "\r\nrm x", "\rrm x", "\n\n rm x", "\\\nrm\\\n x; rm x", " $(rm x)", " `rm x`", ' "$(rm x)"'),
    *(' "`rm x`"', " <(rm x)", " >(rm x)", " > x", " >> x", " >| x", " &> x", " >& x", " 2> x", " 1>x", " < x"),
    *(" << E\nrm x\nE", " <<< x", " 3<> x", " > /dev/null/../x", " > /dev/nullx", " 2>&1 > x", " >&1x", " $HOME"),
    *(" ${x}", " ${x@P}", " $[1]", " $((1))", " $'\\n'", ' $"x"', " $x", " # x\nrm x", "\t;\trm x", "\x0brm\x0b; rm"),
    *(" 'x", ' "x', " \\", " x\0; rm", " (rm x)", "; (rm x)", "; { rm x; }", "; ! rm x", "; if rm x; then ls; fi"),
    *("; eval rm", "; exec rm", "; command rm x", "; builtin eval rm", "; . ./x", "; source x", "; x=y rm x"),
    *("; git() { rm x; }", "; alias git=rm", "; function git { rm; }", "; trap rm EXIT", "; cd /etc", "; git log\nrm"),
    *(" | xargs rm", " | tee x", " | env sh", "; /bin/rm x", "; ../git log", "; ./git log", "; git\\\nx"),
]
BEFORE_GIT_LOG = [
    *("A=b ", "GIT_PAGER=evil ", "PATH=. ", "A=b B=c ", "LD_PRELOAD=./x ", "env ", "env A=b ", "env -i ", "command "),
    *("exec ", "builtin ", "eval ", "time ", "nice ", "nohup ", "sudo ", "doas ", "su -c ", "timeout 5 ", "xargs "),
    *("sh -c '", "bash -c '", "zsh ", "watch ", "setsid ", "stdbuf -o0 ", "ionice ", "flock x ", "strace ", "! "),
    *("{ ", "( ", "$(", "`", "$'", "./", "../", "/tmp/", "~/", "x/", "\\\n./", "rm x;", "rm x\n", "rm x &", "rm|"),
    *("'' ", '"" ', "\0", "\ufeff", "\u200b", "\u00a0", "> x ", "2> x ", "< x ", "x() ", "@", "=", "-", "%"),
    *("find . -exec ", "npm exec ", "npx ", "make ", "ssh host ", "docker run x ", "python -m ", "cmd /c ", "start "),
]
"""What stands around `git log`, which the rule allows with any arguments."""

RISKY: list[tuple[str, str]] = [
    *(("git *", f"git {words}") for words in (
        "-c core.pager=evil log", "-ccore.pager=evil log", "-p -c a=b log", "--config-env=core.pager=X log",
        "--config-env core.pager=X log", "--exec-path=. log", "--exec-path . log", "-C /etc log", "-C .. log",
        "--git-dir=/x log", "--git-dir /x log", "--work-tree=/etc checkout x", "--namespace x -c a=b log",
        "fetch --upload-pack=evil x", "fetch --upload-pa=evil x", "ls-remote --upload-pack evil x",
        "push --receive-pack=evil", "push --exec=evil", "clone ext::sh", "clone 'ext::sh -c evil'", "clone -u evil x",
        "diff --ext-diff", "diff --output=/etc/x", "log --output=/etc/x", "log --outp=/etc/x", "log --output /etc/x",
        "grep -Oevil x", "grep -O x", "grep --open-files-in-pager=evil x", "rebase -x evil", "rebase --exec evil",
        "rebase --exec=evil x", "difftool -x evil", "difftool --extcmd=evil", "bisect run evil", "config core.pager evil",
        "config --global alias.x !evil", "submodule foreach evil", "filter-branch --tree-filter evil",
        "-'c' core.pager=evil log", '-"c" core.pager=evil log', "\\-c core.pager=evil log", "-\\c core.pager=evil log",
        "{-c,core.pager=evil,log}", "-{c,p} log", "\\\n-c core.pager=evil log", "-\\\nc core.pager=evil log",
        "init --template=/x", "clone --template=x y", "clone --config core.pager=x y", "apply --unsafe-paths x",
        "archive --remote=ext::sh x", "daemon", "send-email --smtp-server=/x", "shell", "credential-store",
        "format-patch -o /etc x", "format-patch --output-directory=/etc", "-p --paginate -c a=b log", "hook run x",
    )),
    *(("find *", f"find . {words}") for words in (
        "-exec rm {} +", "-exec rm {} \\;", "-execdir rm {} +", "-ok rm {} \\;", "-okdir rm {} \\;", "-delete",
        "-name x -delete", "-fprint x", "-fprintf x y", "-fprint0 x", "-fls x", "'-delete'", "-del\\ete", "-{delete,print}",
    )),
    *(("rg *", f"rg {words}") for words in ("--pre=evil x", "--pre evil x", "--hostname-bin=x y", "x --pre evil")),
    *(("fd *", f"fd {words}") for words in ("-x rm", "-X rm", "--exec rm", "--exec-batch rm", "--exec=rm", "x -xrm")),
    *(("tar *", f"tar {words}") for words in (
        "xf a --to-command=evil", "xf a --checkpoint=1 --checkpoint-action=exec=evil", "cf a b -I evil", "-Ievil -xf a",
        "xf a --use-compress-program=evil", "xf a --use-comp=evil", "cf a b --rsh-command=x", "xf a -F evil",
        "xf a --info-script=x", "xf a --new-volume-script x",
    )),
    *(("sort *", f"sort {words}") for words in ("--compress-program=evil x", "--compress-prog evil", "-o x y", "--output=x")),
    *(("rsync *", f"rsync {words}") for words in ("-e evil a b", "--rsh=evil a b", "--rsync-path=evil a b")),
    *(("curl *", f"curl {words}") for words in ("-o /etc/x a", "--output=x a", "-K x", "--config x", "-O a", "-sO a", "-so x a")),
    *(("wget *", f"wget {words}") for words in ("-O /etc/x a", "--output-document=x a", "--use-askpass=x", "-e a=b x", "-P / a")),
    *(("ssh *", f"ssh {words}") for words in ("-o ProxyCommand=evil h", "-oProxyCommand=evil h", "-F x h")),
    *(("npm *", f"npm {words}") for words in (
        "exec evil", "x evil", "explore a -- evil", "--script-shell=./x test", "--prefix /etc run x", "-C /x test",
        "config set script-shell x", "--userconfig x test", "--node-options=--require=./x test",
    )),
    *(("* --version", line) for line in (
        "A=b evil --version", "env evil --version", "sh -c evil --version", "bash x --version", "sudo evil --version",
        "xargs evil --version", "command evil --version", "eval evil --version", "/bin/sh -c evil --version",
        "exec evil --version", "timeout 5 evil --version", "nohup evil --version", "zsh -c evil --version", ". x --version",
        "source x --version", "ENV=x sh --version", "busybox sh --version", "./sh -c evil --version",
    )),
]
"""Options by which a program that a rule allows runs others, writes files or leaves the workspace."""

BESIDE: list[Json] = [
    {"command": "git log", "cwd": "/etc"},
    {"command": "git log", "workdir": ".."},
    {"command": "git log", "directory": "~"},
    {"command": "git log", "cwd": "out"},
    {"command": "git log", "cwd": ["."]},
    {"command": "git log", "cwd": "file:///etc"},
    {"command": "git log", "cwd": ".\\..\\.."},
    {"command": "git log", "cwd": "$HOME"},
    {"command": "git log", "workingDirectory": "./%2e%2e/"},
    {"command": "git log", "env": {"GIT_PAGER": "evil"}},
    {"command": "git log", "environment": {"A": "b"}},
    {"command": "git log", "stdin": "rm"},
    {"command": "git log", "input": "rm"},
    {"command": "git log", "shell": "/tmp/evil"},
    {"command": "git log", "cmd": "rm x"},
    {"command": "git log", "Command": "rm x"},
    {"command": "git log", "args": ["; rm x"]},
    {"command": "git log", "args": "; rm x"},
    {"command": "git", "args": ["-c", "core.pager=evil", "log"]},
    {"command": "git log", "commands": ["rm x"]},
    {"command": "git log", "script": "rm x"},
    {"command": "git log", "nested": {"command": "rm x"}},
    {"command": "git log", "dangerouslyDisableSandbox": True},
    {"command": "git log", "sandbox_permissions": "require_escalated"},
    {"command": "git log", "with_escalated_permissions": True},
    {"command": "git log", "additional_permissions": {"file_system": {"write": ["/"]}}},
    {"command": ["git", "log", ";", "rm"], "argv": ["rm"]},
    {"command": ["bash", "-lc", "git log"]},
    {"command": ["git log", "x"]},
    {"command": ["git;rm", "log"]},
    {"command": {"program": "git", "args": ["log"]}},
    {"commandLine": "git log"},
    {"description": "git log"},
    {"title": "git log"},
    {},
]

LINES = [
    *(("git log*", f"git log{after}") for after in AFTER_GIT_LOG),
    *(("git log:*", f"git log x{after}") for after in AFTER_GIT_LOG),
    *(("git log *", f"{before}git log") for before in BEFORE_GIT_LOG),
    *RISKY,
]


@pytest.mark.parametrize(("rule", "line"), LINES)
def test_no_line_runs_more_than_a_rule_allows(rule: str, line: str, tmp_path: Path) -> None:
    question = question_of({"kind": "execute", "rawInput": {"command": line}}, [])
    assert not ToolRule(((f"Bash({rule})",),)).allows(question, tmp_path)


@pytest.mark.parametrize("raw", BESIDE)
@pytest.mark.parametrize("kind", ["execute", "read", "other"])
def test_nothing_beside_a_line_changes_what_runs(kind: str, raw: Json, tmp_path: Path) -> None:
    (tmp_path / "out").symlink_to(tmp_path.parent)
    question = question_of({"kind": kind, "title": "git log", "rawInput": raw}, [])
    assert not ToolRule((("Bash(git *)",),)).allows(question, tmp_path)


@pytest.mark.parametrize(
    ("rule", "line"),
    [
        ("git *", "git log -3 --oneline"),
        ("git *", "git commit -m 'fix {a,b}; see -c'"),
        ("git *", "git commit -c HEAD"),
        ("git *", "git switch -C main"),
        ("git *", "git stash show stash@{0}"),
        ("git *", "git push -u origin main"),
        ("git *", "git clean -xdf"),
        ("git -c *", "git -c core.pager=cat log"),
        ("git config *", "git config user.name x"),
        ("git -C sub *", "git -C sub log"),
        ("find *", "find . -name '*.py' -type f"),
        ("find * -delete", "find . -name x -delete"),
        ("find . -exec grep *", "find . -exec grep x {} +"),
        ("tar *", "tar -czf a.tgz src"),
        ("npm run *", "npm run build"),
        ("npm *", "npm install --save-dev x"),
        ("ls *", "ls src/{a,b}"),
        ("curl *", "curl -sSL https://example.com"),
        ("env *", "env A=b make"),
        ("* --version", "node --version"),
    ],
)
def test_ordinary_lines_fit(rule: str, line: str, tmp_path: Path) -> None:
    question = question_of({"kind": "execute", "rawInput": {"command": line}}, [])
    assert ToolRule(((f"Bash({rule})",),)).allows(question, tmp_path)
