import { messageOf } from "../util/errors.js";
import { launchFault } from "../text/launchFault.js";
import type { Outbox } from "../service/outbox.js";
import type { AsyncTask } from "../protocol.js";
import type { SubagentService } from "../service/service.js";
import type { FromWebview, Shown, ToWebview } from "./messages.js";
import { rowOf } from "./runRow.js";

type Asked<T extends FromWebview["type"]> = Extract<FromWebview, { type: T }>;

/** The page, as what is asked of runs answers to it. */
export interface Answered {
  /** Tell the page, if it is there. */
  post(message: ToWebview): void;
  /** Tell the page as soon as it is there. */
  show(message: Shown): void;
  taskChanged(task: AsyncTask): void;
  /** The folder a run works in; undefined if the user chooses none. */
  pickFolder(): Promise<string | undefined>;
  /** What a run asks for over the limit, unless the reader says. */
  launchWish(): { overLimit?: "queue" };
}

/** What the page asks to be done with runs: each is answered, also when it fails. */
export class RunRequests {
  readonly #service: SubagentService;
  readonly #outbox: Outbox;
  readonly #page: Answered;

  constructor(service: SubagentService, outbox: Outbox, page: Answered) {
    this.#service = service;
    this.#outbox = outbox;
    this.#page = page;
  }

  /** Launch a run where the user says. */
  async launch({ subagentName, goalPrompt, queue }: Asked<"launch">): Promise<void> {
    const workspaceDir = await this.#page.pickFolder();
    if (workspaceDir === undefined) {
      this.#page.show({ type: "launchDropped" });
      return;
    }
    const params = { subagentName, goalPrompt, workspaceDir, ...this.#wish(queue) };
    try {
      const { task } = await this.#service.request("asyncTasks/launch", params);
      this.#page.post({ type: "run", run: rowOf(task) });
      this.#page.show({ type: "launched", taskId: task.id });
    } catch (error) {
      this.#page.show({ type: "launchFailed", ...launchFault(error) });
    }
  }

  /** Cancel a run; the page learns of its state as of every change. */
  async cancel(taskId: string): Promise<void> {
    try {
      const { task } = await this.#service.request("asyncTasks/cancel", { taskId });
      this.#page.taskChanged(task);
    } catch (error) {
      this.#page.post({ type: "cancelFailed", taskId, message: messageOf(error) });
    }
  }

  /** Answer an agent's question. */
  async answer(answer: Asked<"answer">): Promise<void> {
    const { taskId, requestId, optionId } = answer;
    try {
      await this.#service.request("asyncTasks/answer", { taskId, requestId, optionId });
    } catch (error) {
      this.#page.post({ type: "answerFailed", taskId, requestId, message: messageOf(error) });
    }
  }

  /** Tell a running agent something. */
  async send({ taskId, text }: Asked<"send">): Promise<void> {
    try {
      const { delivery } = await this.#outbox.send(taskId, text);
      this.#page.post({ type: "sent", taskId, text, delivery });
    } catch (error) {
      this.#page.post({ type: "sendFailed", taskId, text, message: messageOf(error) });
    }
  }

  /** Have an ended run go on. */
  async resume({ taskId, text, queue }: Asked<"resume">): Promise<void> {
    const params = { taskId, ...(text === undefined ? {} : { text }), ...this.#wish(queue) };
    try {
      const { task } = await this.#service.request("asyncTasks/resume", params);
      this.#page.post({ type: "run", run: rowOf(task) });
      this.#page.show({ type: "resumed", taskId, inTaskId: task.id });
    } catch (error) {
      this.#page.show({ type: "resumeFailed", taskId, ...launchFault(error) });
    }
  }

  #wish(queue: boolean): { overLimit?: "queue" } {
    return queue ? { overLimit: "queue" } : this.#page.launchWish();
  }
}
