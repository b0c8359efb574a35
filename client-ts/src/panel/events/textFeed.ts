import type { TaskEvent } from "../../protocol.js";
import { Throttle } from "../../util/coalesce.js";

type ToolEvent = Extract<TaskEvent, { type: "tool" }>;

/** The minimum time between posts, in ms. */
const PAUSE_MS = 250;

/** Sends a page the paths of the files whose changes can be shown: the events of its run have their texts. */
export class TextFeed {
  readonly #post: (paths: readonly string[]) => void;
  readonly #paths = new Set<string>();
  /** The paths of calls that have not ended, by the ids of the calls. */
  readonly #open = new Map<string, readonly string[]>();
  readonly #soon = new Throttle(PAUSE_MS, () => {
    this.sendAll();
  });
  #lastSeq = 0;

  constructor(post: (paths: readonly string[]) => void) {
    this.#post = post;
  }

  /** Take events, in order; known ones are ignored. */
  take(events: readonly TaskEvent[]): void {
    for (const event of events.filter(({ seq }) => seq > this.#lastSeq)) {
      this.#lastSeq = event.seq;
      if (event.type === "tool" && this.#note(event)) {
        this.#soon.call();
      }
    }
  }

  /** Send all paths, to a page that has none. */
  sendAll(): void {
    this.#post([...new Set([...this.#paths, ...[...this.#open.values()].flat()])]);
  }

  dispose(): void {
    this.#soon.dispose();
  }

  /** Return whether a call changes something. It repeats its content when it ends; a failed one changed nothing. */
  #note({ toolCallId = "", status, content = [] }: ToolEvent): boolean {
    const found = content.flatMap(({ type, path }) =>
      type === "diff" && path !== undefined ? [path] : [],
    );
    const paths = found.length > 0 ? found : (this.#open.get(toolCallId) ?? []);
    this.#open.delete(toolCallId);
    if (toolCallId !== "" && status === "started") {
      this.#open.set(toolCallId, paths);
    } else if (status !== "failed") {
      paths.forEach((path) => this.#paths.add(path));
    }
    return paths.length > 0;
  }
}
