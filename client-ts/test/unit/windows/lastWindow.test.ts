import { beforeEach, expect, test, vi } from "vitest";

import type { AsyncTask } from "../../../src/protocol.js";
import type { SubagentService } from "../../../src/service/service.js";
import { askAboutLastWindow } from "../../../src/windows/lastWindow.js";
import { EventEmitter, shown, Uri, workspace } from "../../vscode.js";
import { FakeMemento } from "../memory.js";
import { asyncTask } from "../tasks.js";

const SETTING = "host.onLastWindowClose";
let memory: FakeMemento;

beforeEach(() => {
  Object.assign(shown, { messages: [], buttons: [], answers: [], settings: {} });
  workspace.workspaceFolders = undefined;
  memory = new FakeMemento();
});

/** Let a window open and these runs change in it. */
function see(...tasks: AsyncTask[]): void {
  const changes = new EventEmitter<AsyncTask>();
  const service = { onDidChangeTask: changes.event } as unknown as SubagentService;
  askAboutLastWindow(service, memory);
  for (const task of tasks) {
    changes.fire(task);
  }
}

async function answered(): Promise<void> {
  await vi.waitFor(() => {
    expect(shown.messages).toHaveLength(1);
  });
}

test("the first launch asks once what the last window does", async () => {
  see(asyncTask("ended", { status: "completed" }), asyncTask("t"), asyncTask("t"));
  await answered();
  expect(shown.buttons).toEqual([["Keep Running", "Stop", "Don't Ask Again"]]);
  see(asyncTask("u"));
  expect(shown.messages).toHaveLength(1);
  expect(shown.settings).toEqual({});
});

test.each([
  [undefined, "end after 30 minutes (host.surviveMinutes)"],
  [1, "end after 1 minute (host.surviveMinutes)"],
  [-1, "have no time limit (host.surviveMinutes)"],
])("the question says how long subagents keep running: %s", async (minutes, text) => {
  shown.settings = minutes === undefined ? {} : { "host.surviveMinutes": minutes };
  see(asyncTask("t"));
  await answered();
  expect(shown.messages[0]).toContain(text);
});

test.each([
  ["Keep Running", "keep"],
  ["Stop", "stop"],
  ["Don't Ask Again", undefined],
])("the answer %s becomes the setting %s", async (button, value) => {
  shown.answers = [button];
  see(asyncTask("t"));
  await answered();
  await vi.waitFor(() => {
    expect(shown.settings[SETTING]).toBe(value);
  });
});

test("whoever has the setting is not asked, nor is another window", () => {
  workspace.workspaceFolders = [{ uri: Uri.file("/house") }];
  see(asyncTask("t", { owner: { client: "vscode", workspaceDir: "/elsewhere" } }));
  shown.settings = { [SETTING]: "keep" };
  see(asyncTask("t"));
  expect(shown.messages).toEqual([]);
});
