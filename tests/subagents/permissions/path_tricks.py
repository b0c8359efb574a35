"""Spellings of paths and patterns that a rule for `src/**` does not allow, in the shapes of calls."""

from collections.abc import Iterator
from typing import Any

Json = dict[str, Any]

OUTSIDE = [
    *(
        "../x",
        "/etc/passwd",
        "..",
        "/",
        "./../x",
        "src/../../x",
        "src/a/../../../x",
        "src/out/x",
        "src/outfile",
    ),
    *(
        "src/dangling",
        "src/deep/up/x",
        "~",
        "~/x",
        "~root/x",
        "$HOME/x",
        "${HOME}/x",
        "$(pwd)/../x",
        "src/$HOME",
    ),
    *("%USERPROFILE%/x", "src/%HOME%/x", "file:///etc/passwd", "FILE:///etc/passwd", "file:/etc/passwd"),
    *(
        "file:///etc/%70asswd",
        "file://server{w}/src/a",
        "file:///{w}/src/%2e%2e/%2e%2e/x",
        "file://[{w}/src/a",
    ),
    *("file:src/a", "vscode-remote://ssh{w}/src/a", "https://example.com/src/a", "http:src/a"),
    *("\\\\server\\share", "//server/share/x", "\\etc\\passwd", "src\\..\\..\\x", "src/..\\..\\x", "..\\x"),
    *(
        "C:\\x",
        "C:/x",
        "c:x/../../y",
        "src/%2e%2e/%2e%2e/x",
        "src/..%2f..%2fx",
        "src/%252e%252e/x",
        "src%2f..%2fx",
    ),
    *("src/..%5c..%5cx", "src/..%c0%af../x", "src/a\0", "src/a\0/../../x", "src/a\n/etc/passwd", "src/a\r"),
    *("src/a\t", " ../x", "../x ", " /etc/passwd", "\u00a0/etc/passwd", "\ufeff/etc/passwd", "src/.. /.. /x"),
    *(
        "src/..  /x",
        "src/ ../x",
        "src/.../x",
        "src/.. ./x",
        "src/\uff0e\uff0e/\uff0e\uff0e/x",
        "src/\u2025/x",
    ),
    *(
        "src\uff0f../x",
        "src/\u2024\u2024/x",
        "\uff5e/x",
        "src/..\u2044..\u2044x",
        "src/.\u200b./x",
        "src/\u202e../x",
    ),
    *(
        "src\u200b/a",
        "src/a\u200b",
        "src/\x1b[2J",
        "src/\x85",
        "src/\ud800",
        "/proc/self/cwd/src/a",
        "src/proc/src/a",
    ),
    *(
        "/proc/self/root{w}/src/a",
        "/proc/thread-self/cwd/src/a",
        "/dev/fd/3",
        "/dev/stdin",
        "src/" + "a/" * 3_000,
    ),
    *("src/" + "a" * 5_000, "src/" + "../" * 400),
]
"""Paths outside of the workspace, or that an agent may read as such."""

ELSEWHERE = [
    *(
        "lib/x",
        "./lib/x",
        "src/../lib/x",
        "src/in/x",
        "src",
        ".",
        "",
        "{w}",
        "{w}/lib/x",
        "Src/a",
        "SRC/a",
        "src2/a",
    ),
    *(
        "sr\u0441/a",
        "\u017frc/a",
        "s\u0307rc/a",
        "src./a",
        "src /a",
        "xsrc/a",
        "lib/src/a",
        "src.bak/a",
        "src\\a",
    ),
    *("'src/a'", '"src/a"', "lib/deep/a"),
]
"""Paths in the workspace, but not below its folder `src`."""

CLIMBING = ["../x", "/etc/*", "../../**", "{w}/../x/**", "src/../../*", "~/.ssh/*", "src/out/*", "src/o*/x"]
GLOBS = [
    *CLIMBING,
    *(
        "{src,../..}/**",
        "{src,/etc}/*",
        "{src/a,~/x}",
        "(..|src)/**",
        "@(..)/x",
        ".{.,x}/y",
        "{.,x}./y",
        "\\.\\./x",
    ),
    *(
        "src/\\../../x",
        "src\\..\\..\\*",
        "src/{a,../../x}",
        "src/{../../,}x",
        "!src/**",
        "#x/../..",
        "src/%2e%2e/*",
    ),
    *(
        "file:///etc/*",
        "$HOME/*",
        "src/*/../../x",
        "src/*/../../../x",
        "src/**/../../x",
        "**/../x",
        "src/out*",
    ),
    *(
        "src/[o]ut/x",
        "src/?ut/x",
        "src/{out,a}/x",
        "src/o\\ut/x",
        "src/*/x",
        "\n../x",
        "src/.. /*",
        "src/\uff0e\uff0e/*",
    ),
    *("lib/**", "lib/*", "lib/{a,b}", "./lib/*"),
]
"""Patterns that reach more than what is below `src`, also in a search below it."""
ANYWHERE = [
    "**",
    "*",
    "**/*.py",
    "s*/a",
    "{src,lib}/a",
    "src2/*",
    "s[r]c/a",
    "*/a",
    "./*",
    "[s]rc/**",
    "l?b/a",
]
"""Patterns that reach more than what is below `src`, unless the search begins there."""

PATH_NAMES = [
    *(
        "path",
        "file_path",
        "filePath",
        "AbsolutePath",
        "absolute-path",
        "notebook_path",
        "target_file",
        "TargetFile",
    ),
    *(
        "paths",
        "files",
        "filename",
        "destination",
        "new_path",
        "source",
        "uri",
        "uris",
        "dir_path",
        "directory",
    ),
    *(
        "folder",
        "cwd",
        "workdir",
        "working_directory",
        "root",
        "rootDir",
        "base_dir",
        "baseUrlPath",
        "output_file",
    ),
    *("outFile", "save_to_path", "search_path", "repoRoot", "location", "backup_path", "ref_file", "chdir"),
]
GLOB_NAMES = [
    "pattern",
    "glob",
    "include",
    "include_pattern",
    "file_pattern",
    "globPattern",
    "includes",
    "globs",
]
STRAY_NAMES = ["x", "value", "argument", "arg0", "extra", "options", "where", "spec", "name", "id"]
FILE_TOOLS = {"read": "Read", "search": "Grep", "edit": "Edit", "delete": "delete", "move": "move"}


def shapes(name: str, value: str) -> Iterator[Json]:
    """Yield arguments that name a value, alone, next to an allowed file, and nested."""
    yield {name: value}
    yield {"path": "src/a", name: value} if name != "path" else {"file_path": "src/a", name: value}
    yield {"file_path": "src/a", name: ["src/a", value]}
    yield {"file_path": "src/a", "input": {name: value}}
    yield {"file_path": "src/a", "edits": [{"new_text": "x"}, {name: value}]}
    yield {"file_path": "src/a", "a": {"b": [{"c": {"d": [[{name: [value]}]]}}]}}


def calls() -> Iterator[tuple[str, Json]]:
    """Yield kinds and calls."""
    kinds = list(FILE_TOOLS)
    for at, value in enumerate([*OUTSIDE, *ELSEWHERE]):
        kind = kinds[at % len(kinds)]
        yield kind, {"locations": [{"path": "src/a"}, {"path": value}]}
        for raw in shapes("path", value):
            if value:
                yield kind, {"rawInput": raw}
    for at, name in enumerate(PATH_NAMES):
        for value in ("../x", "/etc/passwd", "lib/x"):
            for raw in [*shapes(name, value)][1 + at % 4 :: 2]:
                yield kinds[at % len(kinds)], {"rawInput": raw}
    for at, value in enumerate(GLOBS):
        for raw in shapes(GLOB_NAMES[at % len(GLOB_NAMES)], value):
            yield kinds[at % 2], {"rawInput": raw}
    for at, value in enumerate(ANYWHERE):
        for raw in shapes(GLOB_NAMES[at % len(GLOB_NAMES)], value):
            if "path" not in raw:
                yield kinds[at % 2], {"rawInput": raw}
    for at, name in enumerate(STRAY_NAMES):
        for value in ("../x", "/etc/passwd", "~/x", "src/../../x", "file:///etc/passwd", "C:\\x", "\\\\a\\b"):
            for raw in [*shapes(name, value)][1 + at % 2 :: 2]:
                yield kinds[at % len(kinds)], {"rawInput": raw}
    yield from OF_AGENTS


OF_AGENTS: list[tuple[str, Json]] = [
    ("search", {"rawInput": {"path": "src/a", "pattern": "../../**"}}),
    ("read", {"rawInput": {"paths": ["src/a"], "include": ["lib/**"], "useDefaultExcludes": True}}),
    ("search", {"rawInput": {"pattern": "key", "path": "src/a", "glob": "/etc/*", "output_mode": "content"}}),
    ("search", {"rawInput": {"pattern": "key", "include": "*.pem"}}),
    ("search", {"rawInput": {"pattern": "key", "cwd": "/etc"}}),
    ("search", {"rawInput": {"query": "key"}}),
    ("edit", {"rawInput": {"changes": {"src/a": {"update": {}}, "/etc/passwd": {"update": {}}}}}),
    ("edit", {"rawInput": {"changes": {"src/a": {"update": {"move_path": "../x"}}}}}),
    ("edit", {"rawInput": {"path": "src/a", "files": {"lib/x": "text"}}}),
    ("edit", {"rawInput": {"filePath": "src/a", "patchText": "*** Begin Patch\n*** Update File: lib/x\n"}}),
    ("edit", {"rawInput": {"filePath": "src/a", "input": "*** Begin Patch\n*** Add File: ../x\n+a\n"}}),
    ("edit", {"rawInput": {"filePath": "src/a", "patch": "*** Update File: src/a\n*** Move to: /etc/x\n"}}),
    ("edit", {"rawInput": {"filePath": "src/a", "diff": "--- a/lib/x\n+++ b/lib/x\n@@ -1 +1 @@\n"}}),
    ("edit", {"rawInput": {"filePath": "src/a", "diff": "--- src/a\n+++ /etc/passwd\n@@ -1 +1 @@\n"}}),
    ("edit", {"rawInput": {"filePath": "src/a", "diff": "rename from src/a\nrename to lib/a\n"}}),
    ("edit", {"rawInput": {"file_path": "src/a", "content": "x", "download": "https://evil.example/x"}}),
    (
        "edit",
        {"content": [{"type": "diff", "path": "../x", "newText": ""}], "locations": [{"path": "src/a"}]},
    ),
    ("edit", {"content": [{"type": "diff", "path": "src/a", "newText": ""}], "rawInput": {"path": "lib/a"}}),
    ("edit", {"rawInput": {"file_path": "a", "cwd": "src"}}),
    ("edit", {"rawInput": {"file_path": "src/a", "cwd": "lib"}}),
    ("edit", {"rawInput": {"file_path": "src/a", "cwd": {"path": "/etc"}}}),
    ("edit", {"rawInput": {"file_path": "src/a", "files": [{"name": "lib/x", "content": "x"}]}}),
    ("move", {"rawInput": {"source": "src/a", "destination": "lib/a"}}),
    ("move", {"rawInput": {"from": "lib/a", "to": "src/a"}}),
    ("read", {"rawInput": {"file_path": "src/a", "nested": [[[[[[[[[[[[[["/etc/passwd"]]]]]]]]]]]]]]}}),
    ("read", {"rawInput": {"file_path": "src/a", "many": [{"x": 1}] * 20_000}}),
    ("read", {}),
]
