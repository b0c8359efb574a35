// The programs of the system get the text as data: it never becomes an option, a script or markup.
import { chmod, mkdtemp, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";

import { noticeCommand, showSystemNotice } from "../../../src/notices/systemNotice.js";

const NASTY = `--version $(touch x) \`id\` "; <b>&amp;</b> 'a' \\n %PATH% é`;
const PATH = process.env["PATH"];

let folder = "";

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "notice-"));
  process.env["PATH"] = folder;
});

afterEach(() => {
  process.env["PATH"] = PATH;
});

/** Put a notify-send on the path that writes its arguments, one a line, and ends with a code. */
async function install(code = 0): Promise<void> {
  const file = path.join(folder, "notify-send");
  const log = path.join(folder, "arguments");
  await writeFile(file, `#!/bin/sh\nprintf '%s\\n' "$@" > '${log}'\nexit ${code}\n`);
  await chmod(file, 0o755);
}

async function received(): Promise<string[]> {
  return (await readFile(path.join(folder, "arguments"), "utf8")).trimEnd().split("\n");
}

test("on Linux, notify-send gets the text as one argument, without markup or escapes", async () => {
  await install();
  expect(await showSystemNotice("Subagents", NASTY, "linux")).toBeUndefined();
  expect(await received()).toEqual([
    "--app-name=Subagents",
    "--",
    "Subagents",
    `--version $(touch x) \`id\` "; &lt;b&gt;&amp;amp;&lt;/b&gt; 'a' \\\\n %PATH% é`,
  ]);
});

test("a system without the program shows nothing, and a program that fails is named", async () => {
  expect(await showSystemNotice("Subagents", "Ended", "linux")).toBeUndefined();
  expect(await showSystemNotice("Subagents", "Ended", "aix")).toBeUndefined();
  await install(3);
  expect(await showSystemNotice("Subagents", "Ended", "linux")).toContain("notify-send");
});

test("on macOS, the text is an argument of a script that never changes", () => {
  const { program, args } = noticeCommand("darwin", "Subagents", NASTY) ?? {};
  const other = noticeCommand("darwin", "Subagents", "Ended");
  expect(program).toBe("/usr/bin/osascript");
  expect(args?.slice(-2)).toEqual(["Subagents", ` ${NASTY}`]);
  expect(args?.slice(0, -2)).toEqual(other?.args.slice(0, -2));
});

test("on macOS, no text is an option, which could bring a script of its own", () => {
  const { args } = noticeCommand("darwin", "-e", '-e do shell script "touch /tmp/x"') ?? {};
  expect(args?.slice(-2)).toEqual([" -e", ' -e do shell script "touch /tmp/x"']);
});

test("on Windows, the text is a variable of a script that never changes", () => {
  const one = noticeCommand("win32", "Subagents", NASTY, "C:\\Windows");
  const other = noticeCommand("win32", "Subagents", "Ended", "C:\\Windows");
  expect(one?.program).toBe("C:\\Windows\\System32\\WindowsPowerShell\\v1.0\\powershell.exe");
  expect(one?.args).toEqual(other?.args);
  expect(one?.env).toEqual({ SUBAGENT_NOTICE_TITLE: "Subagents", SUBAGENT_NOTICE_TEXT: NASTY });
});
