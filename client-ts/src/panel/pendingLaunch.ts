import type { LaunchAnswer, Navigation, ToWebview } from "./messages.js";

/** Keeps the answer to a launch until a page has saved it: the page that requested it may be gone. */
export class PendingLaunch {
  #waiting = 0;
  #answer: LaunchAnswer | undefined;

  /** Wait for a launch that a page requested. */
  async during(launch: Promise<void>): Promise<void> {
    this.#waiting += 1;
    this.#answer = undefined;
    try {
      await launch;
    } finally {
      this.#waiting -= 1;
    }
  }

  /** Keep a message if it is the answer; return whether it is. */
  take(message: Navigation): boolean {
    if (!isAnswer(message)) {
      return false;
    }
    this.#answer = message;
    return true;
  }

  /** Forget the answer: a page has saved it. */
  noted(): void {
    this.#answer = undefined;
  }

  /** What a new page has to know of the launch. */
  get missed(): readonly ToWebview[] {
    const answer = this.#answer && [{ ...this.#answer, isLate: true }];
    return [...(answer ?? []), ...(this.#waiting > 0 ? [{ type: "launching" } as const] : [])];
  }
}

function isAnswer(message: Navigation): message is LaunchAnswer {
  const { type } = message;
  return type === "launched" || type === "launchFailed" || type === "launchDropped";
}
