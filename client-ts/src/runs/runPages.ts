import type { AsyncListParams, AsyncListResult, AsyncStatus, AsyncTask } from "../protocol.js";

/** How many runs the first read gets: enough for a screen, and quick. */
export const FIRST_PAGE = 200;
/** How many of the newest runs a window reads, whatever their states. */
export const NEWEST = 500;
/** How many runs a later read gets. */
const LATER_PAGE = 2_000;
const LIVE: AsyncStatus[] = ["queued", "running"];

/** Answers `asyncTasks/list`. */
export type ListRuns = (params: AsyncListParams) => Promise<AsyncListResult>;

/**
 * Read what a window needs of the runs, page by page: the newest, and all that are queued or
 * running. A run may come twice. The rest is in the task history.
 */
export async function* knownRuns(list: ListRuns): AsyncGenerator<readonly AsyncTask[]> {
  const { items, nextCursor: cursor } = await list({ limit: FIRST_PAGE });
  yield items;
  if (cursor !== undefined) {
    yield (await list({ limit: NEWEST - FIRST_PAGE, cursor })).items;
    yield* pages(list, { status: LIVE });
  }
}

/** Read all runs, newest launch first. */
export async function allRuns(list: ListRuns): Promise<AsyncTask[]> {
  const runs: AsyncTask[] = [];
  for await (const page of pages(list, {})) {
    runs.push(...page);
  }
  return runs;
}

async function* pages(
  list: ListRuns,
  params: AsyncListParams,
): AsyncGenerator<readonly AsyncTask[]> {
  let cursor: string | undefined;
  do {
    const after = cursor === undefined ? {} : { cursor };
    const { items, nextCursor } = await list({ ...params, limit: LATER_PAGE, ...after });
    yield items;
    cursor = nextCursor;
  } while (cursor !== undefined);
}
