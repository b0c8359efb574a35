import type { TaskEvent } from "../protocol.js";
import type { SubagentService } from "../service/service.js";

const PAGE = 200;
/** Runs with more events than this many pages are read to this point. */
const MOST_PAGES = 200;

/** Where in a run's events a change is. */
interface Spot {
  readonly seq: number;
  readonly index: number;
}

/** A change of one file from its first text to its last. */
export interface Edit {
  readonly path: string;
  /** The change whose old text is the first. */
  readonly before: Spot;
  /** The change whose new text is the last. */
  readonly after: Spot;
}

interface Chain extends Edit {
  readonly newText: string | undefined;
}

/** Read the changes in a run's events, with those that follow from each other joined. */
export async function changesOf(
  service: Pick<SubagentService, "request">,
  taskId: string,
): Promise<readonly Edit[]> {
  const chains: Chain[] = [];
  let afterSeq = 0;
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const params = { taskId, afterSeq, limit: PAGE };
    const { events, more } = await service.request("asyncTasks/events", params);
    events.forEach((event) => {
      addChanges(chains, event);
    });
    afterSeq = events.at(-1)?.seq ?? afterSeq;
    if (!more) {
      break;
    }
  }
  return chains.map(({ path, before, after }) => ({ path, before, after }));
}

/** Whether two paths name one file: a run may report a file with its whole path and inside its folder. */
export function isSameFile(one: string, other: string): boolean {
  const [a, b] = [one, other].map((path) => path.replaceAll("\\", "/"));
  return a === b || a?.endsWith(`/${b}`) === true || b?.endsWith(`/${a}`) === true;
}

/** A call repeats its content when it ends, and an edit may follow from an earlier one. */
function addChanges(chains: Chain[], event: TaskEvent): void {
  if (event.type !== "tool") {
    return;
  }
  (event.content ?? []).forEach(({ type, path, oldText, newText }, index) => {
    if (type !== "diff" || path === undefined) {
      return;
    }
    const spot = { seq: event.seq, index };
    const at = chains.findLastIndex((chain) => chain.path === path);
    const earlier = chains[at];
    if (earlier?.newText !== undefined && earlier.newText === newText) {
      return;
    }
    if (earlier !== undefined && earlier.newText === oldText) {
      chains[at] = { ...earlier, after: spot, newText };
    } else {
      chains.push({ path, before: spot, after: spot, newText });
    }
  });
}
