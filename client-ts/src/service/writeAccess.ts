import { isRefusal } from "../util/errors.js";
import { ErrorCode } from "../protocol.js";
import * as strings from "../text/strings.js";

/** How often write access is tested while the sidecar can only read, in ms. */
const POLL_MS = 1_000;

/** What limits a running sidecar: a sentence for a person if it can only read. */
export interface Limits {
  readonly message?: string;
}

/** How write access is tested, and the receiver of the results. */
export interface WriteAccessHost {
  /** Make a request without effect that only succeeds with write access. */
  test(): Promise<void>;
  changed(limits: Limits): void;
  failed(error: unknown): void;
}

/**
 * Whether the sidecar can write: another one may own the root, or its journal may be damaged. A
 * sidecar takes a root that becomes free by itself, so write access is tested until it succeeds.
 */
export class WriteAccess {
  readonly #host: WriteAccessHost;
  #poll: NodeJS.Timeout | undefined;
  #limits: Limits = {};

  constructor(host: WriteAccessHost) {
    this.#host = host;
  }

  /** Test now, and keep testing. Rejects when the sidecar does not answer. */
  async begin(): Promise<Limits> {
    this.#limits = await this.#test();
    this.#pollWhileLimited();
    return this.#limits;
  }

  stop(): void {
    clearTimeout(this.#poll);
    this.#poll = undefined;
  }

  async #test(): Promise<Limits> {
    try {
      await this.#host.test();
      return {};
    } catch (error) {
      if (!isRefusal(error, ErrorCode.StorageError)) {
        throw error;
      }
      return { message: limitText(error.message) };
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
      limits = await this.#test();
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

function limitText(reason: string): string {
  return /\bin use by pid \d+/u.test(reason)
    ? strings.sidecar.inUseElsewhere
    : strings.sidecar.viewOnly(reason);
}
