import type { ListParams, ListResult, TaskInfo } from "../protocol.js";

export const PAGE = 200;

/** A growing list of stored tasks, newest first, under one filter in the query language. */
export class StoredTasks {
  #filter = "";
  #items: readonly TaskInfo[] = [];
  #matched = 0;
  #total = 0;
  #cursor: string | undefined;
  #isRead = false;
  /** Counts reads, so that the answer to an older one is ignored. */
  #reads = 0;

  constructor(private readonly list: (params: ListParams) => Promise<ListResult>) {}

  get filter(): string {
    return this.#filter;
  }
  get items(): readonly TaskInfo[] {
    return this.#items;
  }
  get matched(): number {
    return this.#matched;
  }
  get total(): number {
    return this.#total;
  }
  get hasMore(): boolean {
    return this.#cursor !== undefined;
  }
  /** Whether the list has been read at all. */
  get isRead(): boolean {
    return this.#isRead;
  }

  /** Change the filter. Rejects and keeps the previous one if the sidecar refuses it. */
  async setFilter(filter: string): Promise<void> {
    const before = this.#filter;
    this.#filter = filter;
    try {
      await this.#read({ limit: PAGE }, []);
    } catch (error) {
      if (this.#filter === filter) {
        this.#filter = before;
      }
      throw error;
    }
  }

  /** Read all shown tasks again. */
  async reload(): Promise<void> {
    await this.#read({ limit: Math.max(PAGE, this.#items.length) }, []);
  }

  /** Read the next page; does nothing when there is none. */
  async loadMore(): Promise<void> {
    if (this.#cursor !== undefined) {
      await this.#read({ limit: PAGE, cursor: this.#cursor }, this.#items);
    }
  }

  async #read(page: ListParams, before: readonly TaskInfo[]): Promise<void> {
    this.#reads += 1;
    const read = this.#reads;
    const query = this.#filter === "" ? {} : { query: this.#filter };
    const result = await this.list({
      ...page,
      ...query,
      sort: { by: "lastActivity", order: "desc" },
    });
    if (read === this.#reads) {
      this.#items = [...before, ...result.items];
      this.#matched = result.matched;
      this.#total = result.total;
      this.#cursor = result.nextCursor;
      this.#isRead = true;
    }
  }
}
