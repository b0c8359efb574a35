import type { SubagentService } from "../../service/service.js";

/** A reminder that a tool result can carry. */
export interface Reminder {
  readonly text: string;
  readonly taskIds: readonly string[];
  readonly deliveryId: string;
}

type Requests = Pick<SubagentService, "request">;

/**
 * The reminders that ride on results for the model. One counts as delivered when the model calls again
 * after it has received the result; until then the sidecar keeps it for the next window or turn.
 */
export class Reminders {
  readonly #service: Requests;
  #carried: Reminder | undefined;

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
    return this.#next(false);
  }

  /** Return what `pending` returns, and count it as handed over: a call at the same time gets nothing. */
  take(): Promise<Reminder | undefined> {
    return this.#next(true);
  }

  /** Note that a reminder was not handed over after all. */
  putBack({ taskIds }: Reminder): void {
    if (this.hasCarried(taskIds)) {
      this.#carried = undefined;
    }
  }

  /** Whether there are ends and all of them are in a result that the model has but has not answered. */
  hasCarried(taskIds: readonly string[]): boolean {
    return (
      taskIds.every((id) => this.#carried?.taskIds.includes(id) === true) && taskIds.length > 0
    );
  }

  async acknowledge({ deliveryId }: Reminder): Promise<void> {
    await this.#service.request("reminders/delivered", { deliveryId });
  }

  async #next(isTaken: boolean): Promise<Reminder | undefined> {
    const { text, taskIds, deliveryId } = await this.#service.request("reminders/next", {});
    if (deliveryId === undefined || taskIds.length === 0) {
      return undefined;
    }
    const reminder = { text, taskIds, deliveryId };
    const isRepeated = this.hasCarried(taskIds);
    if (isTaken || isRepeated) {
      this.#carried = reminder; // The sidecar gives a repeated one a new id.
    }
    return isRepeated ? undefined : reminder;
  }
}
