import { readFileSync } from "node:fs";

import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { Companion } from "../../../src/notices/companion.js";
import { SHOW_COMMAND } from "../../../src/notices/systemNotice.js";
import { activate } from "../../../src/notifier/extension.js";
import * as strings from "../../../src/text/strings.js";
import { commands, registered, shown, Uri } from "../../vscode.js";
import { FakeMemento } from "../memory.js";

const MISSING = new Error(`command '${SHOW_COMMAND}' not found`);
const { installNotifier, notNow, notifierInstalled, offerNotifier } = strings.runs;

beforeEach(() => {
  Object.assign(shown, { messages: [], buttons: [], answers: [] });
});

afterEach(() => {
  vi.restoreAllMocks();
});

/** A remote window, and the commands that it runs; the one that shows a notification fails with `problem`. */
function remote(problem?: Error) {
  const companion = new Companion(Uri.file("/extension") as never, new FakeMemento());
  const run = vi.spyOn(commands, "executeCommand").mockImplementation((name) => {
    const isRefused = name === SHOW_COMMAND && problem !== undefined;
    return isRefused ? Promise.reject(problem) : Promise.resolve();
  });
  return { companion, run };
}

test("the companion on the user's computer shows a notification", async () => {
  const { companion, run } = remote();
  expect(await companion.show("Subagents", "one ended")).toBeUndefined();
  expect(run.mock.calls).toEqual([[SHOW_COMMAND, "Subagents", "one ended"]]);
  expect(shown.messages).toEqual([]);
});

test("a missing companion is offered once, and installed from the extension's own files", async () => {
  const { companion, run } = remote(MISSING);
  shown.answers = [installNotifier];
  expect(await companion.show("Subagents", "one ended")).toBeUndefined();
  expect(await companion.show("Subagents", "another ended")).toBeUndefined();
  expect(shown.messages).toEqual([offerNotifier, notifierInstalled]);
  expect(shown.buttons[0]).toEqual([installNotifier, notNow]);
  const [, vsix] = run.mock.calls.find(([name]) => name !== SHOW_COMMAND) ?? [];
  expect(String(vsix)).toContain("/extension/bundled/notifier.vsix");
});

test("an installation that fails says so", async () => {
  const { companion, run } = remote(MISSING);
  run.mockRejectedValueOnce(MISSING).mockRejectedValueOnce(new Error("no space left"));
  shown.answers = [installNotifier];
  expect(await companion.show("Subagents", "one ended")).toBeUndefined();
  expect(shown.messages).toEqual([offerNotifier, "no space left"]);
});

test("a companion that is declined stays away", async () => {
  const { companion, run } = remote(MISSING);
  shown.answers = [notNow];
  await companion.show("Subagents", "one ended");
  expect(run.mock.calls.map(([name]) => name)).toEqual([SHOW_COMMAND]);
  expect(shown.messages).toEqual([offerNotifier]);
});

test("a companion that fails is not offered again, and the caller learns the reason", async () => {
  const { companion } = remote(new Error("channel closed"));
  vi.spyOn(commands, "getCommands").mockResolvedValue([SHOW_COMMAND]);
  expect(await companion.show("Subagents", "one ended")).toBe("channel closed");
  expect(shown.messages).toEqual([]);
});

test("the companion takes nothing but texts", () => {
  activate({ subscriptions: [] } as never);
  const show = registered.get(SHOW_COMMAND);
  expect(() => show?.("Subagents", { text: 1 })).toThrow(TypeError);
});

interface Manifest {
  readonly version: string;
  readonly publisher: string;
  readonly engines: { readonly vscode: string };
  readonly extensionKind: readonly string[];
  readonly activationEvents: readonly string[];
}

function manifest(name: string): Manifest {
  return JSON.parse(readFileSync(new URL(`../../../${name}`, import.meta.url), "utf8")) as Manifest;
}

test("the companion runs on the user's computer, and has the version of the extension", () => {
  const [own, main] = [manifest("notifier/package.json"), manifest("package.json")];
  expect(own.extensionKind).toEqual(["ui"]);
  expect(own.activationEvents).toContain(`onCommand:${SHOW_COMMAND}`);
  expect([own.version, own.publisher]).toEqual([main.version, main.publisher]);
  expect(own.engines.vscode).toBe(main.engines.vscode);
});
