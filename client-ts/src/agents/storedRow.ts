import type { StoredRow } from "../panel/listMessages.js";
import type { Mark } from "../marks/marks.js";
import type { TaskInfo } from "../protocol.js";
import type { TaskRef } from "../taskRef.js";
import { oneLine } from "../text/words.js";

const TITLE_CHARS = 160;
const NAME_CHARS = 40;

/** What a row depends on apart from its task. */
export interface RowContext {
  /** The root whose tasks may be moved; undefined until the sidecar runs. */
  readonly ownRoot: string | undefined;
  /** The real paths of the folders that are open in this window. */
  readonly folders: readonly string[];
  /** What a person notes about a task. */
  readonly markOf: (task: TaskRef) => Mark;
}

/** Return a stored task as the list shows it, without members that are unknown. */
export function storedRowOf(task: TaskInfo, { ownRoot, folders, markOf }: RowContext): StoredRow {
  const { id, root, status, outcome, product, mode, workspaceDir } = task;
  const at = task.lastActivity ?? task.createdAt;
  const agent = mode.name ?? mode.current;
  const { duration } = task;
  const { cost, estimatedCost } = task.tokenUsage ?? {};
  const elsewhere = workspaceDir !== undefined && !folders.includes(workspaceDir);
  return {
    ...{ id, root, status, outcome, product },
    title: oneLine(task.title, TITLE_CHARS),
    ...markOf(task),
    ...(agent === undefined ? {} : { agent: oneLine(agent, NAME_CHARS) }),
    ...(at == null ? {} : { at }),
    ...(duration == null ? {} : { duration }),
    ...(cost == null ? {} : { cost }),
    ...(estimatedCost == null ? {} : { estimatedCost }),
    ...(elsewhere ? { folder: folderName(workspaceDir) } : {}),
    ...(root === ownRoot ? { own: true as const } : {}),
  };
}

/** Return the last part of a path. */
export function folderName(folder: string): string {
  return oneLine(folder.split(/[\\/]/u).findLast((part) => part !== "") ?? folder, NAME_CHARS);
}
