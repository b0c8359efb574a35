import type { LaunchAnswer, Navigation, ToWebview } from "./messages.js";

/**
 * Keeps what the pages of one view have to learn: the page that requested a launch may be gone when it is answered,
 * and the session that served it too, if the view was moved.
 */
export class Inbox {
  #page: ((message: ToWebview) => void) | undefined;
  #navigations: Navigation[] = [];
  #waiting = 0;
  /** The answer to a launch, until a page has saved it. */
  #answer: LaunchAnswer | undefined;

  /** Make the page in view show something, at once or as soon as there is one. */
  show(message: Navigation): void {
    if (isAnswer(message)) {
      this.#answer = message;
      this.#page?.(message);
    } else if (this.#page === undefined) {
      this.#navigations.push(message);
    } else {
      this.#page(message);
    }
  }

  /** Deliver to a page from now on, first what it missed. */
  open(page: (message: ToWebview) => void): void {
    this.#page = page;
    if (this.#answer !== undefined) {
      page({ ...this.#answer, isLate: true });
    }
    if (this.#waiting > 0) {
      page({ type: "launching" });
    }
    this.#navigations.splice(0).forEach(page);
  }

  /** Deliver no longer to a page, unless another one has taken its place. */
  close(page: (message: ToWebview) => void): void {
    if (this.#page === page) {
      this.#page = undefined;
    }
  }

  /** Show nothing of what no page has shown: the user has turned away. */
  turnAway(): void {
    this.#navigations = [];
  }

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

  /** Forget the answer: a page has saved it. */
  noted(): void {
    this.#answer = undefined;
  }
}

function isAnswer(message: Navigation): message is LaunchAnswer {
  const { type } = message;
  return type === "launched" || type === "launchFailed" || type === "launchDropped";
}
