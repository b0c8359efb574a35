import type { AsyncTask, Attention, AttentionOption } from "./protocol.js";
import type { SubagentService } from "./service.js";
import { oneLine } from "./words.js";

/** A run that waits for a person. */
export type Waiting = AsyncTask & { readonly attention: Attention };

/** The runs that wait for an answer, the longest waiting last. */
export function waitingRuns(service: Pick<SubagentService, "tasks">): Waiting[] {
  return [...service.tasks.values()].filter(isWaiting);
}

export function isWaiting(task: AsyncTask): task is Waiting {
  return task.attention !== undefined && task.status === "running";
}

/** Say in a line who asks what. */
export function questionLine({ subagentName, attention }: Waiting, most: number): string {
  return `${subagentName} asks: ${oneLine(attention.title, most)}`;
}

const KINDS: Partial<Record<string, readonly [icon: string, means: string]>> = {
  allow_once: ["check", "Allow this once"],
  allow_always: ["check-all", "Allow this from now on, for this subagent in this folder"],
  reject_once: ["close", "Refuse this once"],
  reject_always: ["circle-slash", "Refuse this from now on, for this subagent in this folder"],
};

/** Return the codicon of a kind of answer and what it means; the agent's own name need not say so. */
export function kindOf({ kind }: AttentionOption): readonly [icon: string, means: string] {
  return KINDS[kind] ?? ["question", "The subagent does not say what this allows"];
}

const ORDER: Partial<Record<string, number>> = {
  allow_once: 0,
  allow_always: 1,
  reject_once: 2,
  reject_always: 3,
};

/** The options in one order, whichever the agent has: a hand that knows its way must not be caught. */
export function inOrder(options: readonly AttentionOption[]): AttentionOption[] {
  const last = options.length + 4;
  return [...options].sort((a, b) => (ORDER[a.kind] ?? last) - (ORDER[b.kind] ?? last));
}
