// A command that returns before its work is done reports a failure like any other.
import { beforeEach, expect, test, vi } from "vitest";

import { historyCommands } from "../../../src/commands/history/history.js";
import { reportFailures } from "../../../src/commands/register.js";
import type { SubagentService } from "../../../src/service/service.js";
import { commands, shown } from "../../vscode.js";

beforeEach(() => {
  shown.messages = [];
  shown.answers = [];
});

test("a failure is logged and shown once, unless the state of the sidecar shows it", () => {
  const error = vi.fn();
  reportFailures({ state: { kind: "running" } }, { error })("subagentSidecar.x", new Error("no"));
  expect([error.mock.calls, shown.messages]).toEqual([[["subagentSidecar.x: no"]], ["no"]]);
  reportFailures({ state: { kind: "failed" } }, { error })("subagentSidecar.x", new Error("no"));
  expect([error.mock.calls.length, shown.messages.length]).toEqual([2, 1]);
});

test("an export returns when its file is chosen, and reports that it cannot be written", async () => {
  let refuse: (error: Error) => void = () => undefined;
  const request = () => new Promise<never>((_, reject) => (refuse = reject));
  const failed = vi.fn();
  const service = { request } as unknown as SubagentService;
  const context = { service, failed } as unknown as Parameters<typeof historyCommands>[0];
  shown.answers = ["Markdown", "/out.md"];
  await historyCommands(context)["subagentSidecar.task.export"]({
    id: "t",
    title: "T",
    root: "/r",
  });
  expect(failed).not.toHaveBeenCalled();
  refuse(new Error("The disk is full."));
  await vi.waitFor(() => {
    expect(failed).toHaveBeenCalledWith(
      "subagentSidecar.task.export",
      new Error("The disk is full."),
    );
  });
});

test("a filter gives the list the focus before it is applied, and reports that it is refused", async () => {
  const done: unknown[] = [];
  vi.spyOn(commands, "executeCommand").mockImplementation((...command) => {
    done.push(command);
    return Promise.resolve();
  });
  const failed = vi.fn();
  const setFilter = (text: string) => {
    done.push(text);
    return Promise.reject(new Error("The filter is refused."));
  };
  const service = { start: () => Promise.resolve() };
  const context = { service, failed, history: { filter: "", setFilter } };
  shown.answers = [" login "];
  await historyCommands(context as unknown as Parameters<typeof historyCommands>[0])[
    "subagentSidecar.history.filter"
  ]();
  expect(done).toEqual([["subagentSidecar.chat.focus"], "login"]);
  await vi.waitFor(() => {
    expect(failed).toHaveBeenCalledWith(
      "subagentSidecar.history.filter",
      new Error("The filter is refused."),
    );
  });
  vi.restoreAllMocks();
});
