import type { Disposable } from "vscode-jsonrpc/node";

import type { AsyncTask } from "../protocol.js";
import { readChangedFiles } from "../review/changedFiles.js";
import type { Outbox } from "../service/outbox.js";
import type { RunEvent, SubagentService } from "../service/service.js";
import { AGE_MS } from "../service/storedTasks.js";
import { signInCommandsFor } from "../signIn/lookup.js";
import { isLive } from "../text/outcome.js";
import { byPath } from "../text/places.js";
import { takesMessages } from "../text/speaking.js";
import { concerns, storedRef } from "../storedRef.js";
import { Throttle } from "../util/coalesce.js";
import { isGone } from "../util/errors.js";
import { refusalWords } from "../refusals/refusalWords.js";
import { EventFeed } from "./events/eventFeed.js";
import type { TextFeed } from "./events/textFeed.js";
import type { ToWebview } from "./messages.js";
import { pageTask } from "./pageTask.js";
import type { PanelHost } from "./panelHost.js";
import type { TurnFeed } from "./turns/turnFeed.js";

/** What a followed run needs of its page. */
export interface FollowingPage extends Pick<PanelHost, "shows" | "marks"> {
  /** The turns of the run, which outlast the following. */
  readonly turns: TurnFeed;
  /** The files whose changes can be shown, which outlast it too. */
  readonly texts: TextFeed;
  /** Post to the page if it is visible. */
  post(message: ToWebview): void;
  /** Send how many subagents can run at once. */
  sendLimit(): void;
  /** Events of the task are different now: the page begins again. */
  restarted(): void;
}

/** How often a stored task that changes is sent, in ms. */
const UPDATE_MS = 500;

/** Keeps a page informed of the run that it shows: its events, its state, and what it left. */
export class FollowedRun implements Disposable {
  readonly taskId: string;
  readonly #service: SubagentService;
  readonly #outbox: Outbox;
  readonly #page: FollowingPage;
  readonly #feed: EventFeed;
  readonly #subscriptions: Disposable[];
  readonly #changed = new Throttle(UPDATE_MS, () => void this.send());
  readonly #aging: NodeJS.Timeout | undefined;
  #wasSent = false;

  /** Send the events after the one numbered `afterSeq`. */
  constructor(
    taskId: string,
    afterSeq: number,
    service: SubagentService,
    outbox: Outbox,
    page: FollowingPage,
  ) {
    this.taskId = taskId;
    this.#service = service;
    this.#outbox = outbox;
    this.#page = page;
    this.#feed = new EventFeed((batch) => {
      page.post({ type: "events", taskId, ...batch });
    });
    const take = (events: RunEvent[]) => {
      this.#feed.take(events);
      page.turns.take(events);
      page.texts.take(events);
      void outbox.take(taskId, events);
    };
    const restarted = () => {
      page.restarted();
    };
    this.#subscriptions = [service.follow(taskId, afterSeq, take, restarted), this.#changed];
    const ref = storedRef(taskId);
    if (ref !== undefined) {
      this.#subscriptions.push(
        service.onDidChangeHistory((change) => {
          if (concerns(change, ref)) {
            this.#changed.call();
          }
        }),
      );
      this.#aging = setInterval(() => {
        this.#changed.call();
      }, AGE_MS);
    }
  }

  /** The page has shown the last batch of events. */
  seen(): void {
    this.#feed.seen();
  }

  /** Send the whole of the run. */
  async send(): Promise<void> {
    const { taskId } = this;
    try {
      const { task } = await this.#service.request("asyncTasks/get", { taskId });
      this.#post(task);
      this.#wasSent = true;
      await this.#sendFiles(task);
    } catch (error) {
      if (this.#wasSent && storedRef(taskId) !== undefined) {
        this.#lost(error);
        return;
      }
      this.#page.post({ type: "taskMissing", taskId, message: refusalWords(error) });
    }
  }

  /** Send the messages to the agent that were not delivered. */
  async sendUndelivered(): Promise<void> {
    const { taskId } = this;
    try {
      const texts = await this.#outbox.undelivered(taskId);
      if (texts.length > 0) {
        this.#page.post({ type: "undelivered", taskId, texts });
      }
    } catch {
      // The task does not exist, which the other request reports.
    }
  }

  /** Send a new state of the run. */
  changed(task: AsyncTask): void {
    this.#post(task);
    void this.#sendFiles(task);
  }

  /** What was sent of a stored task stays readable when it is gone, or the sidecar is not running. */
  #lost(error: unknown): void {
    if (isGone(error)) {
      this.#page.post({ type: "taskDeleted", taskId: this.taskId });
    }
  }

  dispose(): void {
    clearInterval(this.#aging);
    for (const subscription of this.#subscriptions) {
      subscription.dispose();
    }
    this.#page.turns.dispose();
    this.#page.texts.dispose();
  }

  #post(task: AsyncTask): void {
    if (task.status === "queued") {
      this.#page.sendLimit();
    }
    const { title } = this.#page.marks.of(task.id);
    this.#page.shows(task, title);
    const may = takesMessages(this.#service, task);
    const named = title === undefined ? {} : { title };
    this.#page.post({ type: "task", task: pageTask(task), takesMessages: may, ...named });
    void this.#sendSignIn(task);
  }

  /** Send what an ended run changed. */
  async #sendFiles({ id: taskId, status }: AsyncTask): Promise<void> {
    if (isLive({ status })) {
      return;
    }
    try {
      const changed = await readChangedFiles(this.#service, { taskId });
      this.#page.post({ type: "files", taskId, files: changed.sort(byPath) });
    } catch {
      // The stored task is gone; the run itself still shows its result.
    }
  }

  async #sendSignIn(task: AsyncTask): Promise<void> {
    try {
      const commands = await signInCommandsFor(this.#service, task);
      if (commands !== undefined) {
        this.#page.post({ type: "signIn", taskId: task.id, commands });
      }
    } catch {
      // The sidecar is not running; the task is sent again once it is back.
    }
  }
}
