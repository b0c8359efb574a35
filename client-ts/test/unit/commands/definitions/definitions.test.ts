import path from "node:path";

import { expect, test, vi } from "vitest";
import * as vscode from "vscode";

import type { SubagentInfo, SubagentsResult } from "../../../../src/protocol.js";
import { EXAMPLE_RUNNER } from "../../../../src/exampleNames.js";
import { approve } from "../../../../src/commands/definitions/approving.js";
import { definitionItems } from "../../../../src/commands/definitions/definitionPick.js";
import { runnerItems } from "../../../../src/commands/definitions/definitions.js";
import { permissionItem } from "../../../../src/commands/runs/questions.js";
import {
  definitionText,
  nameProblem,
  userDefinitions,
} from "../../../../src/commands/definitions/definitionFile.js";

const itemsOf = (list: SubagentsResult) => definitionItems(list, []);
const SOURCE = { path: "/u/agents/a.md", level: "user" };

test("a new definition says what it needs, and what else it could say", () => {
  const description = 'Says "hi": always';
  const text = definitionText({ name: "greeter", description, runner: "auto" });
  const lines = text.split("\n");
  expect(lines).toContain("name: greeter");
  expect(lines).toContain('description: "Says \\"hi\\": always"');
  expect(lines).toContain("runner: auto");
  expect(text).toMatch(/^---\n[^]*\n---\n\nSays "hi": always\n/u);
});

test("a new definition names every agent that the sidecar knows", () => {
  const text = definitionText({ name: "n", description: "d", runner: "auto" });
  for (const agent of ["opencode", "claude", "codex", "gemini", "qwen", "kilo"]) {
    expect(text).toMatch(new RegExp(`^#.*\\b${agent}\\b`, "mu"));
  }
});

test.each(["yes", "null", "1e3", "a b"])(
  "%j is written as text, not as what YAML sees",
  (runner) => {
    const text = definitionText({ name: "n", description: "d e", runner });
    expect(text).toContain(`\nrunner: ${JSON.stringify(runner)}\n`);
  },
);

test.each(["", ".x", "a/b", "ü", "x".repeat(65)])("%j is not a name", (name) => {
  expect(nameProblem(name, [])).toMatch(/letters/u);
});

test("a name is free or taken", () => {
  expect(nameProblem("a.b-c_1", ["other"])).toBeUndefined();
  expect(nameProblem("other", ["other"])).toMatch(/already/u);
});

test("the user's own definitions are where the sidecar looks for them", () => {
  const at = (platform: NodeJS.Platform, env = {}) =>
    userDefinitions({ platform, home: "/h", env }).split(path.sep).join("/");
  expect(at("linux")).toBe("/h/.config/subagent-sidecar/agents");
  expect(at("linux", { XDG_CONFIG_HOME: "/x" })).toBe("/x/subagent-sidecar/agents");
  expect(at("darwin")).toBe("/h/Library/Application Support/subagent-sidecar/agents");
  expect(at("win32", { LOCALAPPDATA: "/l" })).toBe("/l/subagent-sidecar/agents");
});

test("definitions that are ready come first, the others say what is missing and the remedy", () => {
  const definition = { description: "d", source: SOURCE };
  const unavailable =
    "runner 'nosuch': program 'no-such' is not found or not executable; install it";
  const items = itemsOf({
    items: [
      { ...definition, name: "a", runner: "nosuch", unavailable },
      { ...definition, name: "b", runner: "", unavailable: "no runner is available" },
      { ...definition, name: "c", runner: "opencode" },
    ],
    problems: [],
  });
  expect(items.slice(0, 3).map(({ label, detail }) => [label, detail])).toEqual([
    ["$(hubot) c", "d"],
    [
      "$(warning) a",
      'Not available: the program no-such was not found; install it, or change the setting "Runners"',
    ],
    ["$(warning) b", "Not available: no runner is available"],
  ]);
});

test("runners that are ready come first, the others say what is missing", () => {
  const rows = runnerItems([
    { name: "ready", type: "acp", available: true },
    { name: "builtin", type: "builtin", available: false, reason: "set a key" },
  ]);
  expect(rows.map(({ label, detail, runner }) => [label, detail, runner])).toEqual([
    ["auto", undefined, "auto"],
    ["ready", undefined, "ready"],
    ["$(warning) builtin", "Not available: set a key", "builtin"],
  ]);
});

test("the example is described in plain words, and agents that no definition uses can be chosen", () => {
  const tour: SubagentInfo = {
    ...{ name: "tour", description: "Shows.", runner: EXAMPLE_RUNNER, permissions: "ask" },
    source: { path: "/e/tour.md", level: "settings" },
  };
  const opencode = { runner: "opencode", title: "opencode" };
  const lacks = { name: "codex-acp", install: "npm install" };
  const codex = { runner: "codex", title: "Codex", lacks };
  const rows = definitionItems({ items: [tour], problems: [] }, [opencode, codex]);
  expect(rows.map(({ label, description, detail }) => [label, description, detail])).toEqual([
    ["$(hubot) tour", "example", "Only follows a script, in a sample project of its own."],
    ["installed agents", undefined, undefined],
    ["$(hubot) Use opencode", undefined, undefined],
    ["$(hubot) Use Codex…", "needs its adapter, codex-acp", undefined],
    ["", undefined, undefined],
    ["$(add) New Subagent Definition…", undefined, undefined],
  ]);
  const mine = { ...tour, name: "mine", runner: "opencode" };
  const labels = definitionItems({ items: [tour, mine], problems: [] }, [opencode, codex]);
  expect(labels.map(({ label }) => label)).not.toContain("$(hubot) Use opencode");
});

test("the list of definitions names runner and model, and what cannot be launched", () => {
  const definition = { name: "a", description: "Does a.", runner: "opencode", source: SOURCE };
  const items = itemsOf({
    items: [
      { ...definition, model: "m-1" },
      { ...definition, source: { ...SOURCE, path: "/w/a.md" }, shadowedBy: SOURCE.path },
    ],
    problems: [{ path: "/u/agents/b.md", line: 3, message: "name is missing" }],
  });
  expect(items[0]).toMatchObject({ description: "opencode · m-1 · your own", detail: "Does a." });
  expect(items.flatMap(({ choice }) => choice ?? [])).toMatchObject([
    { kind: "definition" },
    { kind: "place", path: "/w/a.md" },
    { kind: "place", path: "/u/agents/b.md", line: 3 },
    { kind: "new" },
  ]);
});

const OWN = {
  ...{ name: "a", description: "Does a.", runner: "opencode", shadows: "/u/agents/a.md" },
  ...{ permissions: "allowAll" as const, tools: ["Read", "Edit"] },
  source: { path: "/w/a.md", level: "workspace" },
};
const WIDE = { ...OWN, approval: "sha256:1" };

test("the list shows what a definition asks for, and a row approves it", () => {
  const [row, approval] = definitionItems({ items: [WIDE], problems: [] }, []);
  expect(row?.description).toBe(
    "opencode · from this workspace · does everything without asking · tools: Read, Edit · hides your own definition",
  );
  expect(approval).toMatchObject({
    detail: "Its policy allowAll needs your approval",
    choice: { kind: "approve", definition: WIDE },
  });
});

test("a definition whose policy counts has no row to approve it", () => {
  const items = definitionItems({ items: [OWN], problems: [] }, []);
  expect(items.map(({ choice }) => choice?.kind)).not.toContain("approve");
});

test("a definition is approved by the user only, after its name, path and policy are shown", async () => {
  const update = vi.fn(() => Promise.resolve());
  const config = { get: () => ["sha256:0"], update };
  vi.spyOn(vscode.workspace, "getConfiguration").mockReturnValue(config as never);
  const asked = vi.spyOn(vscode.window, "showWarningMessage");
  await approve(WIDE);
  expect(update).not.toHaveBeenCalled();
  asked.mockResolvedValueOnce("Approve" as never);
  await approve(WIDE);
  const [question, options] = asked.mock.calls.at(-1) ?? [];
  expect(question).toBe("Approve the policy allowAll of a?");
  expect(options).toMatchObject({ modal: true });
  expect(JSON.stringify(options)).toContain("/w/a.md");
  const global = vscode.ConfigurationTarget.Global;
  expect(update.mock.calls).toEqual([["approvedAgents", ["sha256:0", "sha256:1"], global]]);
});

test("a remembered permission says what, whose, where and since when", () => {
  const permission = {
    ...{ id: "p", subagentName: "a", workspaceDir: "/w", toolKind: "execute", title: "t" },
    ...{ subject: "npm test", decision: "allow" as const, rememberedAt: 0 },
  };
  const item = permissionItem(permission, 7_200_000);
  expect(item).toMatchObject({ detail: "/w", id: "p" });
  expect(item.description).toBe("a · 2h ago · from an earlier version, not used");
  expect(item.label).toContain("Always allow: npm test");
  const scope = "`npm test` in this workspace";
  const exact = permissionItem({ ...permission, covers: "command", scope }, 7_200_000);
  const brought = permissionItem(
    { ...permission, definition: "sha256:1", covers: "command" },
    7_200_000,
  );
  expect(brought.description).toBe("a of this workspace · 2h ago");
  expect(exact.description).toBe("a · 2h ago");
  expect(exact.label).toContain(`Always allow: ${scope}`);
});
