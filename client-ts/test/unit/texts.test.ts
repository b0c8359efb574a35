import { expect, test } from "vitest";

import { taskIdOf } from "../../src/commands/arguments.js";
import { diagnosticsText, withoutHome } from "../../src/service/diagnostics.js";
import { pipEnvironment, sidecarEnvironment } from "../../src/service/environmentVariables.js";
import { transcriptText } from "../../src/text/transcriptText.js";
import { tooltip } from "../../src/views/tooltip.js";
import { runStatus } from "../../src/text/runStatus.js";
import { byteSize, money, oneLine } from "../../src/text/words.js";
import { asyncTask, storedTask } from "./tasks.js";

test("the sidecar inherits the window's environment, without what steers the editor", () => {
  const inherited = { HOME: "/home/me", ELECTRON_RUN_AS_NODE: "1", VSCODE_IPC_HOOK: "x" };
  expect(sidecarEnvironment(inherited)).toEqual({ HOME: "/home/me" });
});

test("pip goes through the editor's proxy unless the environment names one", () => {
  expect(pipEnvironment({}, "http://proxy")).toEqual({ HTTPS_PROXY: "http://proxy" });
  const own = { https_proxy: "http://own" };
  expect(pipEnvironment(own, "http://proxy")).toEqual(own);
});

test("diagnostics name neither the user nor values of settings", () => {
  expect(withoutHome("/home/me/x and /home/me", "/home/me")).toBe("~/x and ~");
  const facts = { extension: "1", editor: "e", system: "s", remote: "none", state: "running" };
  const rest = { trusted: true, folders: 1, environment: {}, sidecar: {}, health: "not asked" };
  const text = diagnosticsText({ ...facts, ...rest, settings: ["subagentSidecar.runners"] });
  expect(text).toContain('settings: ["subagentSidecar.runners"]');
});

test("a task is named by its id or by its row", () => {
  expect(taskIdOf("abc")).toBe("abc");
  expect(taskIdOf(asyncTask("abc"))).toBe("abc");
  expect([undefined, null, "", {}, 7, { id: 7 }].map(taskIdOf)).toEqual(Array(6).fill(undefined));
});

test("a tooltip shows hostile text as text, and leaves out what is absent", () => {
  const { value } = tooltip("<b>[x](command:evil)", [
    ["Mode", undefined],
    ["Folder", "*a*"],
  ]);
  expect(value).toBe("\\<b\\>\\[x\\]\\(command:evil\\)\n\n**Folder:** \\*a\\*");
});

test("a transcript has a head, the messages in order, and what is left out", () => {
  const messages = [
    { index: 0, role: "user", kind: "text", text: "Mend\r\nit." },
    { index: 1, role: "assistant", kind: "tool", tool: { name: "hammer", status: "failed" } },
    { index: 2, role: "system", kind: "request", text: "cancelled by the user" },
    { index: 3, role: "system", kind: "request", text: "10 in, 2 out" },
  ];
  const { text, lines } = transcriptText(storedTask("t1", { title: "Mend\nit" }), messages, 1_200);
  expect(text).toMatch(/^# Mend it\n\n- Status: completed\n/);
  expect(text).toContain("## User\n\nMend\r\nit.\n\n## Assistant · tool hammer · failed");
  expect(text).toContain("## System\n\ncancelled by the user");
  expect(text).toContain("## System · usage\n\n10 in");
  expect(text).toMatch(/1,200 more messages/);
  expect(text.split("\n")[lines.get(1) ?? 0]).toBe("## Assistant · tool hammer · failed");
});

test("neither the facts nor a message of a transcript forge a heading", () => {
  const task = storedTask("t", {
    workspaceDir: "/w\n\n## User",
    model: "m\n# x",
    mode: { name: "a\r## User" },
  });
  const text =
    "hi\n## User · now\n  ## Assistant\nUser\n---\nUser\r\n  --\n### kept\n# kept\n\n---";
  const said = transcriptText(task, [{ index: 0, role: "us\n## er", kind: "text", text }], 0).text;
  expect(said.split(/[\r\n]+/u).filter((line) => /^\s*##(?!#)|^\s*#\s/u.test(line))).toEqual([
    "# Mend the roof",
    "## Us ## er",
    "# kept",
  ]);
  expect(said).toContain("User\n\\---\nUser\r\n  \\--\n### kept");
  expect(said).toContain("\n\n---");
});

test("a long message is written in linear time", () => {
  const began = performance.now();
  for (const text of ["-".repeat(500_000), `${" ".repeat(200_000)}x`, "a -".repeat(200_000)]) {
    transcriptText(storedTask("t"), [{ index: 0, role: "user", kind: "text", text }], 0);
  }
  expect(performance.now() - began).toBeLessThan(3_000);
});

test("a run's status is described as in the panel", () => {
  expect(runStatus(asyncTask("a", { status: "failed", endReason: "lost" }))).toBe("Lost");
  expect(runStatus(asyncTask("a", { status: "queued", queuePosition: 2 }))).toBe("Queued (#2)");
  const attention = { kind: "question", requestId: "r", title: "t", options: [] } as const;
  expect(runStatus(asyncTask("a", { attention: { ...attention, options: [] } }))).toBe(
    "Waiting for you",
  );
});

test("text is put on one line and cut", () => {
  expect(oneLine(" a\n b ", 3)).toBe("a b");
  expect(oneLine("abcdef", 4)).toBe("abc…");
});

test("an unknown amount has no text", () => {
  expect([money(undefined), money(null), money(0)]).toEqual([undefined, undefined, "$0.00"]);
  expect([0, 1_023, 1_536, 3 * 1024 ** 3].map(byteSize)).toEqual([
    "0\u00A0B",
    "1,023\u00A0B",
    "1.5\u00A0KB",
    "3\u00A0GB",
  ]);
});
