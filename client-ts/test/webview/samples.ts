import type { RunRow } from "../../src/panel/listMessages.js";
import type { AsyncTask, TaskEvent } from "../../src/protocol.js";

type Bare<E> = E extends unknown ? Omit<E, "seq" | "ts"> : never;

/** Number events from `first` on, one each second. */
export function numbered(events: readonly Bare<TaskEvent>[], first = 1): TaskEvent[] {
  return events.map((event, at) => ({ ...event, seq: first + at, ts: (first + at) * 1_000 }));
}

export function message(messageId: string, text: string): Bare<TaskEvent> {
  return { type: "message", messageId, text };
}

export function tool(
  name: string,
  status: "started" | "completed" | "failed",
  toolCallId?: string,
): Bare<TaskEvent> {
  return { type: "tool", name, status, ...(toolCallId === undefined ? {} : { toolCallId }) };
}

export function row(changes: Partial<RunRow> = {}): RunRow {
  return {
    id: "t1",
    subagentName: "tester",
    status: "running",
    goal: "Test it",
    launchedAt: 1_000,
    ...changes,
  };
}

export function task(changes: Partial<AsyncTask> = {}): AsyncTask {
  return {
    id: "t1",
    subagentName: "tester",
    goalPrompt: "Test it",
    status: "running",
    launchedAt: 1_000,
    progress: { turns: 0, toolCalls: 0, lastActivityAt: 1_000 },
    runner: "example",
    workspaceDir: "/w",
    ...changes,
  };
}
