import type { CancellationToken } from "vscode";

import type { AsyncTask, TriggerAnswer, TriggerTurn } from "../../protocol.js";
import type { Reminder, Reminders } from "./reminders.js";

/** What the user decided on a notification that offers to continue the chat. */
export type Decision = "continue" | "never" | "dismissed";

/** What requests for a turn need of the window. */
export interface TurnSurroundings {
  readonly reminders: Pick<Reminders, "pending" | "acknowledge" | "hasCarried">;
  /** Whether the user wants such notifications. */
  readonly isWanted: () => boolean;
  readonly taskOf: (taskId: string) => AsyncTask | undefined;
  /** Whether a run was launched from this window's workspace, by the editor. */
  readonly isOwn: (task: AsyncTask) => boolean;
  /** Offer to continue the chat after these ends; resolves when the user has decided. */
  readonly offer: (ended: readonly AsyncTask[]) => PromiseLike<Decision>;
  /** Begin a turn of the chat with a text. */
  readonly openChat: (text: string) => PromiseLike<void>;
  readonly turnOff: () => PromiseLike<void>;
  readonly failed: (error: unknown) => void;
}

interface Open {
  readonly turn: TriggerTurn;
  readonly answer: (accepted: boolean) => void;
}

/**
 * Answers the sidecar's requests for a turn by a notification. A request counts as accepted when the user
 * continues the chat. There is one notification at a time; it delivers all ends up to its answer.
 */
export class Turns {
  readonly #window: TurnSurroundings;
  readonly #declined = new Set<string>();
  #open: Open | undefined;
  #isOffering = false;
  #calls = 0;

  constructor(window: TurnSurroundings) {
    this.#window = window;
  }

  /** Answer one request for a turn. */
  request(turn: TriggerTurn, token: CancellationToken): Promise<TriggerAnswer> {
    this.#close(false); // The sidecar has given up the one before.
    const ended = this.#ownOf(turn);
    if (this.#calls > 0 || ended.length === 0 || !this.#window.isWanted()) {
      return Promise.resolve({ accepted: false });
    }
    return new Promise((resolve) => {
      const open: Open = {
        turn,
        answer: (accepted) => {
          cancelled.dispose();
          resolve({ accepted });
        },
      };
      this.#open = open;
      const cancelled = token.onCancellationRequested(() => {
        if (this.#open === open) {
          this.#close(false);
        }
      });
      if (!this.#isOffering) {
        void this.#offer(ended);
      }
    });
  }

  /** Note that the model calls a tool, whose result can carry what a request holds. */
  callBegins(): () => void {
    this.#calls += 1;
    this.#close(false);
    return () => {
      this.#calls -= 1;
    };
  }

  /** Whether a model calls a tool now. */
  get isCalling(): boolean {
    return this.#calls > 0;
  }

  /** Return the ended runs to notify the user of; empty if the model knows them already. */
  #ownOf({ taskIds }: TriggerTurn): AsyncTask[] {
    const fresh = taskIds.filter((id) => !this.#declined.has(id));
    if (this.#window.reminders.hasCarried(fresh)) {
      return [];
    }
    return fresh.flatMap((id) => {
      const task = this.#window.taskOf(id);
      return task !== undefined && this.#window.isOwn(task) ? [task] : [];
    });
  }

  async #offer(ended: readonly AsyncTask[]): Promise<void> {
    this.#isOffering = true;
    try {
      const decision = await this.#window.offer(ended);
      if (decision === "continue") {
        await this.#continue();
      } else {
        this.#decline(ended);
        await (decision === "never" ? this.#window.turnOff() : undefined);
      }
    } catch (error) {
      this.#decline(ended);
      this.#window.failed(error);
    } finally {
      this.#isOffering = false;
      this.#close(false);
    }
  }

  /** Begin a turn with the open request and with what has ended since. */
  async #continue(): Promise<void> {
    const open = this.#open;
    const more = await this.#window.reminders.pending();
    const texts = [open?.turn.message, more?.text].filter((text) => text !== undefined);
    if (texts.length === 0) {
      return; // A tool result has carried it meanwhile.
    }
    await this.#window.openChat(texts.join("\n\n"));
    await this.#delivered(open, more);
  }

  async #delivered(open: Open | undefined, more: Reminder | undefined): Promise<void> {
    if (open !== undefined && open === this.#open) {
      this.#close(true);
    }
    if (more !== undefined) {
      await this.#window.reminders.acknowledge(more);
    }
  }

  #decline(ended: readonly AsyncTask[]): void {
    for (const id of [...ended.map((task) => task.id), ...(this.#open?.turn.taskIds ?? [])]) {
      this.#declined.add(id);
    }
  }

  #close(accepted: boolean): void {
    this.#open?.answer(accepted);
    this.#open = undefined;
  }
}
