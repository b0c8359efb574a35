import type { Outcome, Product, TaskStatus } from "../protocol.js";
import type { Sort } from "../service/storedTasks.js";

/** Which stored tasks the list shows: those of the open folders, or all. */
export const SCOPES = ["workspace", "all"] as const;
export type Scope = (typeof SCOPES)[number];

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
  /** The name of its folder, unless it is open in this window. */
  readonly folder?: string;
  readonly pinned?: true;
  readonly tags?: readonly string[];
  /** Whether it can be deleted and archived. */
  readonly own?: true;
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
