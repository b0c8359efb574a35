import type { Disposable, Event } from "vscode";

import type { AsyncTask } from "../protocol.js";
import type { SubagentService } from "../service/service.js";
import { coalesced } from "../util/coalesce.js";

type Service = Pick<
  SubagentService,
  "state" | "onDidChangeState" | "onDidChangeTask" | "onDidRestart"
>;

/** Keeps a page informed of what the sidecar reports, and requests it again when it may have changed. */
export abstract class PageFeed<T> implements Disposable {
  readonly #service: Service;
  readonly #subscriptions: readonly Disposable[];
  /** The phase of each run, as of its last change. */
  readonly #phases = new Map<string, string>();
  readonly #request = coalesced(() => this.#requestIfRunning());
  #post: ((value: T) => void) | undefined;
  #posted = "";

  /** The value may also change whenever `onDidChange` fires. */
  protected constructor(service: Service, onDidChange: Event<void>) {
    this.#service = service;
    const request = (): void => void this.#request();
    this.#subscriptions = [
      service.onDidChangeState(request),
      service.onDidRestart(request),
      onDidChange(request),
      service.onDidChangeTask((task) => {
        this.#taskChanged(task);
      }),
    ];
  }

  /** Post the value, now and whenever it changes. */
  show(post: (value: T) => void): void {
    this.#post = post;
    this.#posted = "";
    void this.#request();
  }

  /** Stop until the next `show`. */
  hide(): void {
    this.#post = undefined;
  }

  dispose(): void {
    this.hide();
    for (const subscription of this.#subscriptions) {
      subscription.dispose();
    }
  }

  /** Request the value from the running sidecar, and post it. */
  protected abstract request(): Promise<void>;

  /** Return what changes when a run may change the value; undefined if the run never does. */
  protected abstract phaseOf(task: AsyncTask): string | undefined;

  protected get isShown(): boolean {
    return this.#post !== undefined;
  }

  /** Post a value to the page, unless the page has it. */
  protected post(value: T): void {
    const text = JSON.stringify([value]);
    if (this.#post !== undefined && text !== this.#posted) {
      this.#posted = text;
      this.#post(value);
    }
  }

  #taskChanged(task: AsyncTask): void {
    const phase = this.phaseOf(task);
    if (phase === undefined || this.#phases.get(task.id) === phase) {
      return;
    }
    if (task.completedAt === undefined) {
      this.#phases.set(task.id, phase);
    } else {
      this.#phases.delete(task.id);
    }
    void this.#request();
  }

  async #requestIfRunning(): Promise<void> {
    if (this.#service.state.kind !== "running") {
      return;
    }
    try {
      await this.request();
    } catch {
      // Restricted Mode, or the sidecar has just stopped: another request follows either.
    }
  }
}
