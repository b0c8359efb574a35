import type { SubagentService } from "../../service/service.js";

/** A reminder that a tool result can carry. */
export interface Reminder {
  readonly text: string;
  readonly taskIds: readonly string[];
  readonly deliveryId: string;
}

/** Returns what the model still has to be reminded of, in at most `maxChars` characters. */
export type Take = (maxChars?: number) => Promise<Reminder | undefined>;

/** A result for the model and the reminder in it. */
export interface Composed<T> {
  readonly result: T;
  readonly carried: Reminder | undefined;
}

type Requests = Pick<SubagentService, "request">;

/**
 * The reminders attached to results for the model. One counts as delivered when the model calls again
 * after it has received the result; until then the sidecar keeps it for the next window or turn.
 */
export class Reminders {
  readonly #service: Requests;
  #carried: Reminder | undefined;
  #isComposing = false;

  constructor(service: Requests) {
    this.#service = service;
  }

  /**
   * Note that the model begins a call: it has read the results that it got before. What cannot be noted
   * stays pending.
   */
  async callBegins(): Promise<void> {
    const carried = this.#carried;
    this.#carried = undefined;
    if (carried !== undefined) {
      await this.acknowledge(carried).catch(() => undefined);
    }
  }

  /** Return what the model still has to be reminded of and has not received; undefined if nothing. */
  pending(): Promise<Reminder | undefined> {
    return this.#next();
  }

  /**
   * Return the result that `compose` makes with what is pending. What it carries counts as handed over then, not
   * before. Of results that are composed at the same time, only one gets a reminder.
   */
  async ride<T>(compose: (take: Take) => Promise<Composed<T>>): Promise<T> {
    if (this.#isComposing) {
      return (await compose(() => Promise.resolve(undefined))).result;
    }
    this.#isComposing = true;
    try {
      const { result, carried } = await compose((maxChars) => this.#next(maxChars));
      this.#carried = carried ?? this.#carried;
      return result;
    } finally {
      this.#isComposing = false;
    }
  }

  /** Whether there are ends and all of them are in a result that the model has but has not answered. */
  hasCarried(taskIds: readonly string[]): boolean {
    return carries(this.#carried, taskIds);
  }

  async acknowledge({ deliveryId }: Reminder): Promise<void> {
    await this.#service.request("reminders/delivered", { deliveryId });
  }

  async #next(maxChars?: number): Promise<Reminder | undefined> {
    const before = this.#carried;
    const params = maxChars === undefined ? {} : { maxChars };
    const { text, taskIds, deliveryId } = await this.#service.request("reminders/next", params);
    if (deliveryId === undefined || taskIds.length === 0) {
      return undefined;
    }
    const reminder = { text, taskIds, deliveryId };
    if (!carries(before, taskIds)) {
      return reminder;
    }
    // The sidecar gives a repeated one a new id, even while a call begins that acknowledges the old one.
    if (this.#carried === undefined) {
      await this.acknowledge(reminder);
    } else {
      this.#carried = reminder;
    }
    return undefined;
  }
}

function carries(reminder: Reminder | undefined, taskIds: readonly string[]): boolean {
  return taskIds.length > 0 && taskIds.every((id) => reminder?.taskIds.includes(id) === true);
}
