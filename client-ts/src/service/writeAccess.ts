import { isRefusal } from "../util/errors.js";
import { ErrorCode } from "../protocol.js";

/** How often a sidecar that can only read is asked whether it can write, in ms. */
const POLL_MS = 1_000;

/** What limits a sidecar that answers: a sentence for a person, if it can only read. */
export interface Limits {
  readonly message?: string;
}

/** How the access is tested, and who is notified of it. */
export interface WriteAccessHost {
  /** Ask for something that only a sidecar which can write grants, without any effect. */
  test(): Promise<void>;
  changed(limits: Limits): void;
  failed(error: unknown): void;
}

/**
 * Whether the sidecar can write: another one may own the storage, or its journal may be damaged. A
 * sidecar takes storage that becomes free by itself, so it is asked again as long as there is a limit.
 */
export class WriteAccess {
  readonly #host: WriteAccessHost;
  #poll: NodeJS.Timeout | undefined;
  #limits: Limits = {};

  constructor(host: WriteAccessHost) {
    this.#host = host;
  }

  /** Find out now, and keep watching. Rejects when the sidecar does not answer. */
  async begin(): Promise<Limits> {
    this.#limits = await this.#find();
    this.#pollWhileLimited();
    return this.#limits;
  }

  stop(): void {
    clearTimeout(this.#poll);
    this.#poll = undefined;
  }

  async #find(): Promise<Limits> {
    try {
      await this.#host.test();
      return {};
    } catch (error) {
      if (!isRefusal(error, ErrorCode.StorageError)) {
        throw error;
      }
      return { message: limitWords(error.message) };
    }
  }

  #pollWhileLimited(): void {
    this.stop();
    if (this.#limits.message !== undefined) {
      this.#poll = setTimeout(() => void this.#askAgain(), POLL_MS);
    }
  }

  async #askAgain(): Promise<void> {
    const poll = this.#poll;
    let limits = this.#limits;
    try {
      limits = await this.#find();
    } catch (error) {
      this.#host.failed(error);
    }
    if (poll !== this.#poll) {
      return; // It was stopped meanwhile.
    }
    const changed = limits.message !== this.#limits.message;
    this.#limits = limits;
    this.#pollWhileLimited();
    if (changed) {
      this.#host.changed(limits);
    }
  }
}

function limitWords(reason: string): string {
  return /\bin use by pid \d+/u.test(reason)
    ? "Another window is running subagents. This window is view-only until it closes."
    : `View-only: ${reason.replace(/\.?$/u, ".")}`;
}
