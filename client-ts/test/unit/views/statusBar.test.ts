import { expect, test } from "vitest";

import type { AsyncTask } from "../../../src/protocol.js";
import type { SubagentService } from "../../../src/service/service.js";
import { showStatusBar } from "../../../src/views/statusBar.js";
import { shown } from "../../vscode.js";
import { asyncTask } from "../tasks.js";

const nothing = () => ({ dispose: () => undefined });

/** Return what the status bar says of these runs. */
function barFor(...runs: readonly Partial<AsyncTask>[]) {
  const tasks = new Map(runs.map((run, at) => [`t${at}`, asyncTask(`t${at}`, run)]));
  const events = { onDidChangeState: nothing, onDidChangeTask: nothing };
  const service = { ...events, state: { kind: "running" }, tasks } as unknown as SubagentService;
  showStatusBar(service, { due: undefined, onDidChange: nothing });
  const { text, tooltip } = shown.statusItem ?? {};
  return [text?.replace(/^\$\([^)]*\) /u, ""), tooltip];
}

const WORKS: Partial<AsyncTask> = { status: "running" };
const ASKS = { ...WORKS, attention: { kind: "permission" } } as unknown as Partial<AsyncTask>;

test("the status bar counts as the list does: a run that needs you is not one that runs", () => {
  expect(barFor(WORKS, WORKS, ASKS)).toEqual([
    "2 running · 1 needs you",
    "Subagents: 2 running, 1 needs you.",
  ]);
  expect(barFor(ASKS, ASKS)).toEqual(["2 need you", "Subagents: 0 running, 2 need you."]);
  expect(barFor({ status: "queued" })[0]).toBe("1 queued");
  expect(barFor({ status: "completed" })).toEqual(["Subagents", "Subagents: 0 running."]);
});
