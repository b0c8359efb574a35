// The view with the list may be moved to the other side bar, which makes another page.
import { EventEmitter, type WebviewView } from "vscode";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { AgentsView } from "../../../src/agents/agentsView.js";
import type { PageContext } from "../../../src/agents/pages.js";
import type { FromWebview, ToWebview } from "../../../src/panel/messages.js";
import type { AsyncTask } from "../../../src/protocol.js";
import { Outbox } from "../../../src/service/outbox.js";
import type { SubagentService } from "../../../src/service/service.js";
import { Uri, window, workspace } from "../../vscode.js";
import { FakeMemento } from "../memory.js";

const NEVER = new EventEmitter<never>().event;
const LAUNCH: FromWebview = {
  type: "launch",
  subagentName: "tester",
  goalPrompt: "g",
  queue: false,
};
const TASK: AsyncTask = {
  id: "t2",
  subagentName: "tester",
  goalPrompt: "g",
  status: "running",
  launchedAt: 1,
  progress: { turns: 0, toolCalls: 0, lastActivityAt: 1 },
  runner: "r",
  workspaceDir: "/w",
};

beforeEach(() => {
  workspace.workspaceFolders = [{ uri: Uri.file("/w") }];
});

afterEach(() => {
  workspace.workspaceFolders = undefined;
});

/** A view that is shown, as the editor resolves it. */
function shownView() {
  const messages = new EventEmitter<FromWebview>();
  const disposals = new EventEmitter<void>();
  const posted: ToWebview[] = [];
  const view = {
    visible: true,
    onDidDispose: disposals.event,
    onDidChangeVisibility: NEVER,
    webview: {
      asWebviewUri: (uri: unknown) => uri,
      onDidReceiveMessage: messages.event,
      postMessage: (message: ToWebview) => Promise.resolve(posted.push(message) > 0),
    },
  };
  const send = async (...sent: FromWebview[]): Promise<void> => {
    for (const message of sent) {
      messages.fire(message);
      await new Promise(setImmediate);
    }
  };
  const dispose = (): void => {
    disposals.fire();
  };
  return { view: view as unknown as WebviewView, posted, send, dispose };
}

/** The provider of the view, on a sidecar whose launches wait for `answer`. */
function provided() {
  const launches: ((value: unknown) => void)[] = [];
  const request = (method: string): Promise<unknown> =>
    method === "asyncTasks/launch"
      ? new Promise((resolve) => {
          launches.push(resolve);
        })
      : Promise.resolve({ items: [], problems: [], task: TASK });
  const service = {
    state: { kind: "running" },
    tasks: new Map(),
    start: () => Promise.resolve(),
    request,
    onDidChangeState: NEVER,
    onDidChangeTask: NEVER,
    onDidRemoveTasks: NEVER,
    onDidChangeHistory: NEVER,
    onDidChangeDefinitions: NEVER,
    onDidChangeSettings: NEVER,
    onDidRestart: NEVER,
  } as unknown as SubagentService;
  const context = {
    extensionUri: Uri.file("/extension"),
    service,
    outbox: new Outbox(new FakeMemento(), service),
    commands: { executeCommand: () => Promise.resolve() },
    marks: { of: () => ({}), onDidChange: NEVER },
  } as unknown as PageContext;
  const hide = vi.fn();
  const feed = { show: () => undefined, hide } as never;
  const lines = { show: () => undefined, hide: () => undefined } as never;
  const agents = new AgentsView(
    context,
    feed,
    lines,
    feed,
    feed,
    { shown: undefined, onDidChange: NEVER },
    { frontTaskId: undefined, onDidChangeFront: NEVER },
  );
  const answer = async (): Promise<void> => {
    await vi.waitFor(() => {
      expect(launches).toHaveLength(1);
    });
    launches[0]?.({ task: TASK, revision: 1 });
    await new Promise(setImmediate);
  };
  return { agents, answer, hide };
}

test("a view that is moved during a launch knows that it waits, and how it ends", async () => {
  const { agents, answer } = provided();
  const [first, second] = [shownView(), shownView()];
  agents.resolveWebviewView(first.view);
  await first.send({ type: "ready" }, LAUNCH);
  first.dispose();
  agents.resolveWebviewView(second.view);
  await second.send({ type: "ready" });
  expect(second.posted).toContainEqual({ type: "launching" });
  await answer();
  expect(second.posted).toContainEqual({
    type: "launched",
    taskId: "t2",
    sent: { goalPrompt: "g" },
  });
});

test("a view that was moved learns of a launch that ended before it was there", async () => {
  const { agents, answer } = provided();
  const [first, second] = [shownView(), shownView()];
  agents.resolveWebviewView(first.view);
  await first.send({ type: "ready" }, LAUNCH);
  first.dispose();
  await answer();
  agents.resolveWebviewView(second.view);
  await second.send({ type: "ready" });
  const launched = { type: "launched", taskId: "t2", sent: { goalPrompt: "g" } };
  expect(second.posted).toContainEqual({ ...launched, isLate: true });
});

test("what a hidden view was to show is shown where it was moved", async () => {
  const { agents } = provided();
  const [first, second] = [shownView(), shownView()];
  agents.resolveWebviewView(first.view);
  await agents.reveal("t2");
  first.dispose();
  agents.resolveWebviewView(second.view);
  await second.send({ type: "ready" });
  expect(second.posted).toContainEqual({ type: "open", taskId: "t2" });
});

test("the lists stay in a view that took the place of another before that one was gone", () => {
  const { agents, hide } = provided();
  const [first, second] = [shownView(), shownView()];
  agents.resolveWebviewView(first.view);
  agents.resolveWebviewView(second.view);
  first.dispose();
  expect(hide).not.toHaveBeenCalled();
  second.dispose();
  expect(hide).toHaveBeenCalled();
});

test("what was launched by a key is offered where the view is hidden, and opens in the visible one", async () => {
  const { agents } = provided();
  const inform = vi.spyOn(window, "showInformationMessage");
  inform.mockResolvedValueOnce(undefined).mockResolvedValueOnce("Open Conversation");
  const opened = { type: "open", taskId: "t2" };
  await agents.reveal("t2", { keepsFocus: true });
  const shown = shownView();
  agents.resolveWebviewView(shown.view);
  await shown.send({ type: "ready" });
  expect(inform.mock.calls).toEqual([["The subagent was launched.", "Open Conversation"]]);
  expect(shown.posted).not.toContainEqual(opened); // Nothing opens by itself.
  await agents.reveal("t2", { keepsFocus: true });
  expect(shown.posted).toContainEqual(opened);
  shown.dispose();
  await agents.reveal("t2", { keepsFocus: true });
  const later = shownView();
  agents.resolveWebviewView(later.view);
  await later.send({ type: "ready" });
  expect(later.posted).toContainEqual(opened);
  expect(inform).toHaveBeenCalledTimes(2);
});

test("the list gets the focus from a field of its page, and in a page that is not there yet", async () => {
  const { agents } = provided();
  await agents.focusList();
  const shown = shownView();
  agents.resolveWebviewView(shown.view);
  await shown.send({ type: "ready" });
  await agents.focusList();
  expect(shown.posted.filter(({ type }) => type === "focusList")).toHaveLength(2);
});
