import type { TaskEvent, ToolContent } from "../protocol.js";
import type { SubagentService } from "../service/service.js";

const PAGE = 200;
/** Runs with more events than this many pages are read to this point. */
const MOST_PAGES = 200;

/** Where in a run's events a change is. */
export interface Spot {
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

interface Change extends Spot, Pick<ToolContent, "oldText" | "newText"> {
  readonly path: string;
}

/** The changes in the events of a run, with those that follow from each other joined. */
export class RunChanges {
  readonly #chains: Chain[] = [];
  /** The changes of calls that have not ended, by the ids of the calls. */
  readonly #open = new Map<string, readonly Change[]>();
  /** How often what `edits` returns may have changed. */
  revision = 0;
  /** The number of the last event. */
  lastSeq = 0;

  /** Take the next events of the run. */
  add(events: readonly TaskEvent[]): void {
    for (const event of events) {
      this.#add(event);
      this.lastSeq = event.seq;
    }
  }

  /** Return the changes that were made; calls that did not end may have made theirs if the run ended. */
  edits(hasEnded: boolean): readonly Edit[] {
    const chains = [...this.#chains];
    if (hasEnded) {
      joinAll(chains, [...this.#open.values()].flat());
    }
    return chains.map(({ path, before, after }) => ({ path, before, after }));
  }

  /** A call repeats its content when it ends; what a failed one was to change did not change. */
  #add(event: TaskEvent): void {
    if (event.type !== "tool") {
      return;
    }
    const { toolCallId = "", status } = event;
    const found = changesIn(event);
    const changes = found.length > 0 ? found : (this.#open.get(toolCallId) ?? []);
    if (toolCallId !== "" && status === "started") {
      this.#open.set(toolCallId, changes);
    } else {
      this.#open.delete(toolCallId);
      if (status !== "failed" && changes.length > 0) {
        joinAll(this.#chains, changes);
        this.revision += 1;
      }
    }
  }
}

/** Read the changes in a run's events. */
export async function readChanges(
  service: Pick<SubagentService, "request">,
  taskId: string,
): Promise<RunChanges> {
  const changes = new RunChanges();
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const params = { taskId, afterSeq: changes.lastSeq, limit: PAGE };
    const { events, more } = await service.request("asyncTasks/events", params);
    changes.add(events);
    if (!more) {
      break;
    }
  }
  return changes;
}

function changesIn({ seq, content = [] }: Extract<TaskEvent, { type: "tool" }>): Change[] {
  return content.flatMap(({ type, path, oldText, newText }, index) =>
    type === "diff" && path !== undefined
      ? [
          {
            seq,
            index,
            path,
            ...(oldText !== undefined && { oldText }),
            ...(newText !== undefined && { newText }),
          },
        ]
      : [],
  );
}

/** An edit may follow from an earlier one. */
function joinAll(chains: Chain[], changes: readonly Change[]): void {
  for (const { path, seq, index, oldText, newText } of changes) {
    const spot = { seq, index };
    const at = chains.findLastIndex((chain) => chain.path === path);
    const earlier = chains[at];
    if (earlier?.newText !== undefined && earlier.newText === newText) {
      continue;
    }
    if (earlier !== undefined && earlier.newText === oldText) {
      chains[at] = { ...earlier, after: spot, newText };
    } else {
      chains.push({ path, before: spot, after: spot, newText });
    }
  }
}
