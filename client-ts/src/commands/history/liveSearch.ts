import { coalesced } from "../../util/coalesce.js";
import { refusalWords } from "../../refusals/refusalWords.js";
import type {
  ListParams,
  ListResult,
  PartlySearched,
  SearchHit,
  SearchParams,
  SearchResult,
  TaskInfo,
} from "../../protocol.js";
import { messageSearch, type QueryError, queryError } from "../../text/queryText.js";

const TASKS = 50;
const HITS = 20;
const INDEXING_MS = 1_000;

/** How a search asks the sidecar; without `messages` only tasks are looked for. */
export interface SearchRequests {
  readonly tasks: (params: ListParams) => Promise<ListResult>;
  readonly messages?: (params: SearchParams) => Promise<SearchResult>;
}

/** The tasks that fit a text. */
export interface FoundTasks {
  readonly text: string;
  readonly items: readonly TaskInfo[];
  readonly matched: number;
  readonly total: number;
  readonly problem?: QueryError;
  /** Why the sidecar gave no answer, other than for a problem of the query. */
  readonly error?: string;
}

/** The messages that hold a text's words; while they are being indexed `unread` tasks are left out. */
export interface FoundMessages {
  readonly text: string;
  readonly hits: readonly SearchHit[];
  readonly unread: number;
  /** The tasks of which only a part was searched. */
  readonly partly: readonly PartlySearched[];
  readonly error?: string;
}

const NO_TASKS: FoundTasks = { text: "", items: [], matched: 0, total: 0 };
const NO_MESSAGES: FoundMessages = { text: "", hits: [], unread: 0, partly: [] };

/**
 * A search that follows a text as it is typed: one request of a kind at a time, the newest text wins,
 * and what was found for an older one is not shown. `changed` is called for every change.
 */
export class LiveSearch {
  readonly #requests: SearchRequests;
  readonly #changed: () => void;
  readonly #readTasks = coalesced(() => this.#findTasks());
  readonly #readMessages = coalesced(() => this.#findMessages());
  #text = "";
  #tasks = NO_TASKS;
  #messages = NO_MESSAGES;
  #again: NodeJS.Timeout | undefined;
  #isDisposed = false;
  #open = 0;

  constructor(requests: SearchRequests, changed: () => void) {
    this.#requests = requests;
    this.#changed = changed;
  }

  get tasks(): FoundTasks {
    return this.#tasks;
  }

  /** What was found for the same text as `tasks`; nothing while it is looked for. */
  get messages(): FoundMessages {
    return this.#messages.text === this.#tasks.text ? this.#messages : NO_MESSAGES;
  }

  /** Whether an answer is awaited. */
  get isBusy(): boolean {
    return this.#open > 0;
  }

  /** Search for `text`: a query for tasks, its words for messages. Never rejects: errors are results. */
  async find(text: string): Promise<void> {
    this.#text = text;
    clearTimeout(this.#again);
    this.#open += 1;
    this.#changed();
    await Promise.all([this.#readTasks(), this.#readMessages()]);
    this.#open -= 1;
    this.#tell();
  }

  dispose(): void {
    this.#isDisposed = true;
    clearTimeout(this.#again);
  }

  async #findTasks(): Promise<void> {
    const text = this.#text;
    const found = await this.#askForTasks(text);
    if (text === this.#text) {
      this.#tasks = found;
      this.#tell();
    }
  }

  async #askForTasks(text: string): Promise<FoundTasks> {
    const query = text.trim() === "" ? {} : { query: text };
    const sort = { by: "lastActivity", order: "desc" } as const;
    try {
      const { items, matched, total } = await this.#requests.tasks({
        limit: TASKS,
        sort,
        ...query,
      });
      return { text, items, matched, total };
    } catch (error) {
      const problem = queryError(error);
      return { ...NO_TASKS, text, ...(problem ? { problem } : { error: refusalWords(error) }) };
    }
  }

  async #findMessages(): Promise<void> {
    const text = this.#text;
    const found = await this.#askForMessages(text);
    if (text === this.#text && !this.#isDisposed) {
      this.#messages = found;
      this.#tell();
      if (found.unread > 0) {
        this.#again = setTimeout(() => void this.#readMessages(), INDEXING_MS);
      }
    }
  }

  async #askForMessages(text: string): Promise<FoundMessages> {
    const wanted = messageSearch(text);
    if (wanted === undefined || this.#requests.messages === undefined) {
      return { ...NO_MESSAGES, text };
    }
    try {
      const found = await this.#requests.messages({ ...wanted, limit: HITS });
      const { hits, indexed, total, partlySearched: partly = [] } = found;
      return { text, hits, unread: total - indexed, partly };
    } catch (error) {
      const isReported = queryError(error) !== undefined; // The list reports it.
      return { ...NO_MESSAGES, text, ...(isReported ? {} : { error: refusalWords(error) }) };
    }
  }

  #tell(): void {
    if (!this.#isDisposed) {
      this.#changed();
    }
  }
}
