import type { TaskEvent } from "../protocol.js";
import { storedRef } from "../storedRef.js";
import { TextFeed } from "./events/textFeed.js";
import type { ToWebview } from "./messages.js";
import { TurnFeed } from "./turns/turnFeed.js";
import type { TimedTurn } from "./turns/turnIndex.js";

/** What is known of all events of a run. */
export interface RunFeeds {
  /** The turns of the run. */
  readonly turns: TurnFeed;
  /** The files whose changes can be shown. */
  readonly texts: TextFeed;
}

/** Keeps what is known of the run that a page followed last, of which the page may have only a part. */
export class LastFeeds {
  readonly #post: (message: ToWebview) => void;
  #feeds: RunFeeds | undefined;

  constructor(post: (message: ToWebview) => void) {
    this.#post = post;
  }

  /** The turns of the run, with their times. */
  get timed(): readonly TimedTurn[] | undefined {
    return this.#feeds?.turns.timed;
  }

  /** Return the number of the event that asked a question, if it is known. */
  askedAt(requestId: string): TaskEvent["seq"] | undefined {
    return this.#feeds?.turns.askedAt(requestId);
  }

  /** Return what is known of the events of a run, and send it; a stored task may have other ones now. */
  of(taskId: string, afterSeq: number): RunFeeds {
    const beginsAgain = afterSeq === 0 && storedRef(taskId) !== undefined;
    const known = this.#feeds;
    if (known?.turns.taskId === taskId && !beginsAgain) {
      known.turns.sendAll();
      known.texts.sendAll();
      return known;
    }
    const turns = new TurnFeed(taskId, (found) => {
      this.#post({ type: "turns", taskId, ...found });
    });
    const texts = new TextFeed((paths) => {
      this.#post({ type: "texts", taskId, paths });
    });
    this.#feeds = { turns, texts };
    return this.#feeds;
  }
}
