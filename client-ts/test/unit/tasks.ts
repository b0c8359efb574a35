import type { AsyncTask, TaskInfo } from "../../src/protocol.js";

/** A running task; `more` overrides. */
export function asyncTask(id: string, more: Partial<AsyncTask> = {}): AsyncTask {
  return {
    id,
    subagentName: "reviewer",
    goalPrompt: "Review the last commit.",
    status: "running",
    launchedAt: 1_000,
    progress: { turns: 0, toolCalls: 0, lastActivityAt: 1_000 },
    runner: "my-agent",
    workspaceDir: "/house",
    ...more,
  };
}

/** A completed stored task; `more` overrides. */
export function storedTask(id: string, more: Partial<TaskInfo> = {}): TaskInfo {
  return {
    id,
    title: "Mend the roof",
    status: "completed",
    mode: {},
    outcome: "completed",
    root: "/root",
    product: "roo",
    sizeBytes: 10,
    problems: [],
    ...more,
  };
}
