import type { PageTask } from "../panel/pageTask.js";
import type { TaskInfo, TasksDidChange } from "../protocol.js";
import type { TaskRef } from "../taskRef.js";

const PREFIX = "stored:";

/** Return the id under which a page knows a stored task: two roots may hold the same one. */
export function pageIdOf({ id, root = "" }: TaskRef): string {
  return PREFIX + JSON.stringify([root, id]);
}

/** Return the stored task of a page's id; undefined for the id of a run. */
export function storedRef(pageId: string): TaskRef | undefined {
  if (!pageId.startsWith(PREFIX)) {
    return undefined;
  }
  try {
    const [root, id] = JSON.parse(pageId.slice(PREFIX.length)) as [unknown, unknown];
    return typeof root === "string" && typeof id === "string"
      ? { id, ...(root === "" ? {} : { root }) }
      : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a change may be one of this task; a change that names no task may be one of any. */
export function concerns({ added, changed, removed }: TasksDidChange, { id }: TaskRef): boolean {
  const ids = [...added, ...changed, ...removed];
  return ids.length === 0 || ids.includes(id);
}

/**
 * Return a stored task as a page shows a run. It has ended, as far as this extension is concerned;
 * `stored` is what its row says.
 */
export function runOf(pageId: string, task: TaskInfo): PageTask {
  const { createdAt, lastActivity, mode, model, tokenUsage: used, workspaceDir = "" } = task;
  const { status, outcome } = task;
  const failed = status === "failed" || status === "abandoned";
  const at = lastActivity ?? createdAt ?? 0;
  return {
    id: pageId,
    subagentName: mode.name ?? mode.current ?? task.product,
    goalPrompt: task.title,
    status: outcome === "cancelled" ? "cancelled" : failed ? "failed" : "completed",
    stored: { status, outcome },
    ...(createdAt == null ? {} : { launchedAt: createdAt }),
    completedAt: at,
    progress: {
      ...{ turns: 0, toolCalls: 0, lastActivityAt: at },
      ...(used?.input == null ? {} : { inputTokens: used.input }),
      ...(used?.output == null ? {} : { outputTokens: used.output }),
      ...(used?.cost == null ? {} : { cost: used.cost }),
    },
    runner: task.product,
    ...(model === undefined ? {} : { model }),
    workspaceDir,
  };
}
