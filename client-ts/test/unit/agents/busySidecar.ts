import type { ListParams, ListResult, TaskInfo, TasksDidChange } from "../../../src/protocol.js";
import type { SubagentService } from "../../../src/service/service.js";
import { EventEmitter } from "../../vscode.js";

type Value = number | string | null | undefined;

const VALUES: Record<string, (task: TaskInfo) => Value> = {
  lastActivity: ({ lastActivity }) => lastActivity,
  cost: ({ tokenUsage }) => tokenUsage?.cost,
  duration: ({ duration }) => duration,
  messages: ({ messageCount }) => messageCount,
  title: ({ title }) => title,
};

/**
 * A sidecar that lists tasks while they change. Each answer takes a while, and shows the tasks at some
 * moment in between; notifications come later than the changes. `random` returns a number below 1.
 */
export class BusySidecar {
  readonly tasks = new Map<string, TaskInfo>();
  readonly #history = new EventEmitter<TasksDidChange>();
  readonly #states = new EventEmitter<SubagentService["state"]>();
  readonly #random: () => number;
  #isDown = false;

  constructor(random: () => number) {
    this.#random = random;
  }

  get service(): SubagentService {
    return {
      state: { kind: "running" },
      info: { storageRoot: "/root" },
      onDidChangeState: this.#states.event,
      onDidChangeHistory: this.#history.event,
      request: async (method: string, params: ListParams) => {
        await this.#pause(60);
        if (this.#isDown) {
          throw new Error("The sidecar is restarting.");
        }
        const answer = structuredClone(
          method === "tasks/list" ? this.fresh(params) : { totals: { tasks: 0 } },
        );
        await this.#pause(60);
        return answer;
      },
    } as unknown as SubagentService;
  }

  /** Store a task, or delete it. */
  put(id: string, task: TaskInfo | undefined): void {
    const kind = task === undefined ? "removed" : this.tasks.has(id) ? "changed" : "added";
    if (task === undefined) {
      this.tasks.delete(id);
    } else {
      this.tasks.set(id, task);
    }
    const none = { revision: 1, added: [], changed: [], removed: [] };
    void this.#pause(100).then(() => {
      this.#history.fire({ ...none, [kind]: [id] });
    });
  }

  /** Stop answering for a while; what is notified meanwhile is lost. */
  async restart(): Promise<void> {
    this.#isDown = true;
    await this.#pause(2_000);
    this.#isDown = false;
    this.#states.fire({ kind: "running" });
    this.#history.fire({ revision: 0, added: [], changed: [], removed: [] });
  }

  /** Answer `tasks/list` about the tasks as they are now; the cursor is the place of the last row. */
  fresh({ query, sort, limit = 0, cursor }: ListParams): ListResult {
    const by = sort?.by ?? "lastActivity";
    const valueOf = VALUES[by] ?? (() => undefined);
    const isDescending = sort?.order === "desc";
    const compared = (one: TaskInfo, other: TaskInfo): number =>
      comparedValues(valueOf(one), valueOf(other), isDescending) || (one.id < other.id ? -1 : 1);
    const ids = [...(query ?? "").matchAll(/id:"([^"]*)"/gu)].map(([, id = ""]) => id);
    const [word = ""] = /[a-z]+/u.exec((query ?? "").replace(/id:"[^"]*"|OR/gu, "")) ?? [];
    const fit = [...this.tasks.values()]
      .filter(({ id }) => ids.length === 0 || ids.some((each) => id.startsWith(each)))
      .filter(({ title }) => title.includes(word))
      .toSorted(compared);
    const last = cursor == null ? undefined : (JSON.parse(cursor) as TaskInfo);
    const rest = last === undefined ? fit : fit.filter((task) => compared(last, task) < 0);
    const items = rest.slice(0, limit);
    const next = rest.length > limit ? { nextCursor: JSON.stringify(items.at(-1)) } : {};
    return { items, matched: fit.length, total: this.tasks.size, counts: {}, revision: 1, ...next };
  }

  async #pause(most: number): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, Math.floor(this.#random() * most)));
  }
}

function comparedValues(one: Value, other: Value, isDescending: boolean): number {
  if (one == null || other == null || one === other) {
    return one === other ? 0 : one == null ? (other == null ? 0 : 1) : -1;
  }
  return one < other === isDescending ? 1 : -1;
}
