import type {
  AsyncTask,
  Changes,
  ErrorKind,
  Placement,
  Progress,
  Retrying,
  Unmet,
  Waiting,
} from "../protocol.js";
import { dollars, duration } from "../l10n/format.js";
import { outcome } from "./outcomeStrings.js";
import { oneLine } from "./words.js";

const TEXT_CHARS = 80;
const NAME_CHARS = 60;
const REASON_CHARS = 240;

/** Return why the model or its server failed: `rate limit reached`. */
export function errorWords(kind: ErrorKind | Waiting["reason"]): string {
  return outcome.failure[kind];
}

/** Describe which request is retried and why: `Retrying (3): rate limited (429)`. */
export function retryWords({ attempt, status, text }: Retrying): string {
  const why = oneLine(text, TEXT_CHARS);
  const code = status === undefined || why.includes(String(status)) ? "" : ` (${status})`;
  return `${outcome.retrying(attempt)}${why === "" ? "" : `: ${why}`}${code}`;
}

/** Name the MCP servers that may be why an agent is still starting. */
export function startingWords(servers: readonly string[]): string {
  return outcome.starting(servers.length, oneLine(servers.join(", "), TEXT_CHARS));
}

/** Describe how much a run changed, `2 files +10 −3`, without unknown lines; undefined if nothing. */
export function changeWords(changes: Changes | undefined): string | undefined {
  if (changes === undefined || changes.files === 0) {
    return undefined;
  }
  const { files, additions, deletions, uncountedFiles = 0 } = changes;
  const lines = uncountedFiles < files ? ` +${additions} −${deletions}` : "";
  const rest = lines !== "" && uncountedFiles > 0 ? ` (${outcome.uncounted(uncountedFiles)})` : "";
  return `${outcome.files(files)}${lines}${rest}`;
}

/** Say what a task cost, or that this is unknown, which is null; undefined if it cost nothing. */
export function costWords(cost: number | null | undefined): string | undefined {
  return cost === null
    ? outcome.costUnknown
    : cost === undefined || cost === 0
      ? undefined
      : dollars(cost);
}

/** Say what a task may have cost; undefined without an estimate. */
export function estimateWords(cost: number | null | undefined): string | undefined {
  return cost == null ? undefined : outcome.estimated(dollars(cost));
}

/** Return the lines that a run added and removed, `+10 −3`; undefined if none is known. */
export function changeLines(changes: Changes | undefined): string | undefined {
  const { additions = 0, deletions = 0 } = changes ?? {};
  return additions + deletions === 0 ? undefined : `+${additions} −${deletions}`;
}

/** Return model, effort and mode of a run as far as known: `["m-1", "high effort", "plan mode"]`. */
export function modelWords({
  model,
  effort,
  mode,
}: Pick<AsyncTask, "model" | "effort" | "mode">): string[] {
  return [
    ...(model === undefined ? [] : [oneLine(model, NAME_CHARS)]),
    ...(effort === undefined ? [] : [outcome.effort(oneLine(effort, NAME_CHARS))]),
    ...(mode === undefined ? [] : [outcome.mode(oneLine(mode, NAME_CHARS))]),
  ];
}

/** Name in a row what a run goes without: `["docs does not work", "opus not taken"]`. */
export function unmetFacts(unmet: readonly Unmet[] = []): string[] {
  return unmet.map(({ kind, wanted }) => {
    const name = oneLine(wanted, NAME_CHARS);
    return kind === "mcpServer" ? outcome.serverMissing(name) : outcome.notTaken(name);
  });
}

/** Describe in a sentence what a run goes without. */
export function unmetSentence({ kind, wanted, inForce = "", reason = "" }: Unmet): string {
  const name = oneLine(wanted, NAME_CHARS);
  const used = oneLine(inForce, NAME_CHARS);
  switch (kind) {
    case "mcpServer":
      return outcome.serverFailed(name, oneLine(reason, REASON_CHARS));
    case "model":
      return outcome.modelNotTaken(name, used);
    case "effort":
      return outcome.effortNotTaken(name, used);
  }
}

/**
 * Describe where a run works, or what it needs of a node, `on gpu-1`; undefined for this machine.
 * `now` in ms.
 */
export function placeWords(
  { placement, status }: Pick<AsyncTask, "status"> & { readonly placement?: Placement | undefined },
  now: number,
): string | undefined {
  if (placement?.kind !== "ray") {
    return undefined;
  }
  const { node, state, lastHeardAt } = placement;
  if (node === undefined) {
    return waitWords(placement, status);
  }
  const where = outcome.onNode(oneLine(node, NAME_CHARS));
  return state === "reconnecting" && lastHeardAt !== undefined
    ? outcome.notHeard(where, duration(now - lastHeardAt))
    : where;
}

function waitWords({ state, labels = {}, slots }: Placement, status: AsyncTask["status"]): string {
  const wanted = [
    ...Object.entries(labels).map(([name, value]) => `${name}=${value}`),
    ...(slots === undefined ? [] : [outcome.slots(slots)]),
  ];
  const needs = oneLine(wanted.join(", "), NAME_CHARS);
  if (state === "waiting" && status === "running") {
    return needs === "" ? outcome.waitsForNode : outcome.waitsForNodeWith(needs);
  }
  return needs !== "" && status === "queued" ? outcome.needsNode(needs) : outcome.onFleet;
}

/** Add up the tokens of a run, including those read from and written to a cache. */
export function allTokens(
  used: Pick<Progress, "inputTokens" | "outputTokens" | "cacheReads" | "cacheWrites">,
): number {
  const { inputTokens = 0, outputTokens = 0, cacheReads = 0, cacheWrites = 0 } = used;
  return inputTokens + outputTokens + cacheReads + cacheWrites;
}
