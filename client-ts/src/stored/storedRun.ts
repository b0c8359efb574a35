import type { PageTask } from "../panel/pageTask.js";
import type { TaskInfo } from "../protocol.js";

/**
 * Return a stored task as a page shows a run. It has ended, as far as this extension is concerned;
 * `stored` is what its row says.
 */
export function runOf(pageId: string, task: TaskInfo): PageTask {
  const { createdAt, lastActivity, mode, model, tokenUsage: used, workspaceDir = "" } = task;
  const { status, outcome } = task;
  const failed = status === "failed" || status === "abandoned";
  const at = lastActivity ?? createdAt ?? 0;
  const cached = task.product === "sidecar" ? used : undefined; // others may include it in the input
  return {
    id: pageId,
    subagentName: mode.name ?? mode.current ?? task.product,
    goalPrompt: task.title,
    status: outcome === "cancelled" ? "cancelled" : failed ? "failed" : "completed",
    stored: {
      ...{ status, outcome },
      ...(used?.estimatedCost == null ? {} : { estimatedCost: used.estimatedCost }),
    },
    ...(createdAt == null ? {} : { launchedAt: createdAt }),
    completedAt: at,
    progress: {
      ...{ turns: 0, toolCalls: 0, lastActivityAt: at },
      ...(used?.input == null ? {} : { inputTokens: used.input }),
      ...(used?.output == null ? {} : { outputTokens: used.output }),
      ...(cached?.cacheReads == null ? {} : { cacheReads: cached.cacheReads }),
      ...(cached?.cacheWrites == null ? {} : { cacheWrites: cached.cacheWrites }),
      ...(used?.cost == null ? {} : { cost: used.cost }),
    },
    runner: task.product,
    ...(model === undefined ? {} : { model }),
    workspaceDir,
  };
}
