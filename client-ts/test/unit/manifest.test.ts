import { readFileSync } from "node:fs";

import { expect, test } from "vitest";

interface Manifest {
  readonly contributes: {
    readonly commands: readonly { readonly command: string }[];
    readonly keybindings: readonly {
      readonly command: string;
      readonly key: string;
      readonly mac: string;
    }[];
    readonly walkthroughs: readonly {
      readonly steps: readonly {
        readonly description: string;
        readonly completionEvents: readonly string[];
      }[];
    }[];
    readonly menus: Readonly<Record<string, readonly { readonly command: string }[]>>;
    readonly configuration: {
      readonly properties: Readonly<
        Record<string, { readonly scope: string; readonly default?: unknown }>
      >;
    };
    readonly languageModelTools: readonly {
      readonly name: string;
      readonly toolReferenceName: string;
    }[];
    readonly chatAgents: readonly { readonly path: string }[];
    readonly chatSkills: readonly { readonly path: string }[];
  };
}

const MANIFEST = read("../../package.json");
const TEXTS = JSON.parse(read("../../package.nls.json")) as Record<string, string>;

function read(file: string): string {
  return readFileSync(new URL(file, import.meta.url), "utf8");
}

test("every text of the manifest is in package.nls.json, and none there is unused", () => {
  const used = [...MANIFEST.matchAll(/"%([\w.]+)%"/gu)].map(([, key]) => key);
  expect([...new Set(used)].sort()).toEqual(Object.keys(TEXTS).sort());
});

test("every text of the manifest is there in German, and none is the English one", () => {
  const german = JSON.parse(read("../../package.nls.de.json")) as Record<string, string>;
  expect(Object.keys(german)).toEqual(Object.keys(TEXTS));
  const same = Object.keys(TEXTS).filter((key) => german[key] === TEXTS[key]);
  expect(same).toEqual(["settings.title"]);
});

test("keys run commands that exist, with chords that other keyboards can type", () => {
  const { contributes } = JSON.parse(MANIFEST) as Manifest;
  const known = contributes.commands.map(({ command }) => command);
  const bound = contributes.keybindings.map(({ command }) => command);
  expect(bound.filter((command) => !known.includes(command))).toEqual([]);
  for (const { command, key, mac } of contributes.keybindings) {
    const isFind = command === "subagentSidecar.conversation.find"; // where the editor's own has nothing to find
    expect([key, mac]).toEqual([
      isFind ? "ctrl+f" : expect.stringMatching(/^ctrl\+k [a-z]$/u),
      key.replace("ctrl", "cmd"),
    ]);
  }
});

test("menus run commands that exist, and each has a title", () => {
  const { contributes } = JSON.parse(MANIFEST) as Manifest;
  const known = contributes.commands.map(({ command }) => command);
  const offered = Object.values(contributes.menus).flatMap((items) =>
    items.map(({ command }) => command),
  );
  expect(offered.length).toBeGreaterThan(30);
  expect(offered.filter((command) => !known.includes(command))).toEqual([]);
});

test("the walkthrough has at most five steps, each with a button that completes it", () => {
  const { contributes } = JSON.parse(MANIFEST) as Manifest;
  const known = contributes.commands.map(({ command }) => command);
  const german = JSON.parse(read("../../package.nls.de.json")) as Record<string, string>;
  const steps = contributes.walkthroughs.flatMap((walkthrough) => walkthrough.steps);
  expect(steps.length).toBeGreaterThan(0);
  expect(steps.length).toBeLessThanOrEqual(5);
  for (const { description, completionEvents } of steps) {
    const [command] = completionEvents.map((event) => event.replace("onCommand:", ""));
    expect(known).toContain(command);
    for (const texts of [TEXTS, german]) {
      expect(texts[description.replaceAll("%", "")]).toContain(`](command:${command})`);
    }
  }
});

test("a workspace cannot set what concerns all windows", () => {
  const { properties } = (JSON.parse(MANIFEST) as Manifest).contributes.configuration;
  const shared = ["maxAsyncTasks", "runners", "host.onLastWindowClose", "host.surviveMinutes"];
  const scopes = shared.map((name) => properties[`subagentSidecar.${name}`]?.scope);
  expect(scopes).toEqual(["machine", "machine", "machine", "machine"]);
});

test("a model finds each tool once: the MCP server with the same tools is off by default", () => {
  const { properties } = (JSON.parse(MANIFEST) as Manifest).contributes.configuration;
  expect(properties["subagentSidecar.mcpServer"]?.default).toBe(false);
});

test("the agent and the skill name tools that exist, and the skill is named as its folder", () => {
  const { contributes } = JSON.parse(MANIFEST) as Manifest;
  const [agent, skill] = [contributes.chatAgents, contributes.chatSkills].map(([file]) =>
    read(`../../${file?.path ?? ""}`),
  );
  const references = contributes.languageModelTools.map((tool) => tool.toolReferenceName);
  const named = [...(agent ?? "").matchAll(/subagent-sidecar\.subagent-sidecar\/(\w+)/gu)];
  expect(new Set(named.map(([, name]) => name))).toEqual(new Set(references));
  const [, description] = /^description: (.*)$/mu.exec(skill ?? "") ?? [];
  for (const { name } of contributes.languageModelTools) {
    expect(description).toContain(name);
  }
  expect(skill).toMatch(/^---\nname: delegate-well\n/u);
  expect(contributes.chatSkills[0]?.path).toContain("/delegate-well/SKILL.md");
});
