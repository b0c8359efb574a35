import type {
  AsyncTask,
  Changes,
  Outcome,
  Product,
  Retrying,
  TaskStatus,
  Unmet,
} from "../protocol.js";
import type { RowChanges } from "../util/rowChanges.js";
import type { Sort } from "../service/storedTasks.js";

/** Which stored tasks the list shows: those of the open folders, or all. */
export const SCOPES = ["workspace", "all"] as const;
export type Scope = (typeof SCOPES)[number];

/** One run as the list shows it: small, whatever the run has produced. */
export interface RunRow extends Pick<
  AsyncTask,
  | "id"
  | "subagentName"
  | "status"
  | "endReason"
  | "queuedAt"
  | "queuePosition"
  | "waiting"
  | "launchedAt"
  | "completedAt"
  | "errorKind"
  | "mode"
  | "model"
  | "effort"
  | "changes"
  | "placement"
> {
  /** The beginning of the goal, on one line. */
  readonly goal: string;
  /** What the user calls it instead. */
  readonly title?: string;
  readonly pinned?: true;
  readonly tags?: readonly string[];
  /** The question that it waits for an answer to. */
  readonly asks?: string;
  /** Whether it continues an ended run, which has the same goal. */
  readonly continues?: true;
  /** The id of the run that launched it. */
  readonly parent?: string;
  /** Who launched it, unless it is this window. */
  readonly from?: string;
  /** The name of its folder, unless it is open in this window. */
  readonly folder?: string;
  /** In USD; null if it is unknown of an ended run that used tokens. */
  readonly cost?: number | null;
  /** The tool that it runs now. */
  readonly tool?: string;
  readonly retrying?: Retrying;
  /** MCP servers that may be why its agent is still starting. */
  readonly awaitedServers?: readonly string[];
  /** What was requested but not provided. */
  readonly unmet?: readonly Unmet[];
}

/** One stored task as the list shows it: small, so that the page can hold 20,000. */
export interface StoredRow {
  readonly id: string;
  readonly root: string;
  readonly title: string;
  readonly status: TaskStatus;
  readonly outcome: Outcome;
  readonly product: Product;
  /** The mode, or the name of the subagent. */
  readonly agent?: string;
  /** The newest activity, in ms since the epoch. */
  readonly at?: number;
  /** In ms. */
  readonly duration?: number;
  /** In USD. */
  readonly cost?: number;
  /** In USD, from a price table, if no cost is recorded. */
  readonly estimatedCost?: number;
  /** The name of its folder, unless it is open in this window. */
  readonly folder?: string;
  readonly pinned?: true;
  readonly tags?: readonly string[];
  /** Whether it can be deleted and archived. */
  readonly own?: true;
}

/** How much a stored task changed; without `changes`, it changed nothing. */
export interface StoredChanges extends Pick<StoredRow, "id" | "root"> {
  readonly changes?: Changes;
}

/** What the list shows, and why. */
export interface ListOptions {
  readonly scope: Scope;
  readonly sort: Sort;
  /** In the query language; "" shows all. */
  readonly filter: string;
}

/** The stored tasks that were read so far, after those before `from`. */
export interface HistoryPage extends ListOptions {
  readonly rows: readonly StoredRow[];
  readonly from: number;
  /** What differs from the rows that the page has, which are `from` many; `rows` is empty then. */
  readonly changes?: RowChanges<StoredRow>;
  /** How many match, read or not. */
  readonly matched: number;
  readonly total: number;
  readonly hasMore: boolean;
  /** The usage of those that match, in a few words. */
  readonly totals: string;
  /** Those that are pinned, read or not. */
  readonly pinned?: readonly StoredRow[];
  /** Why they could not be read. */
  readonly problem?: string;
}

/** How many sessions will be deleted, and within how many days. */
export interface Deletions {
  readonly tasks: number;
  readonly days: number;
}
