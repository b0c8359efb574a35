import { launchProblem } from "../refusals/launchProblem.js";
import { refusalWords } from "../refusals/refusalWords.js";
import { equipmentParams } from "../offers/equipment.js";
import { launchChoices } from "../offers/offers.js";
import { answerRefusal } from "../questions/answering.js";
import { reply } from "../questions/replying.js";
import type { Outbox } from "../service/outbox.js";
import type { AsyncTask, LaunchParams, TaskEvent } from "../protocol.js";
import type { SubagentService } from "../service/service.js";
import { eventsAfter, eventsBefore } from "./events/eventPages.js";
import { ReadAhead } from "./events/readAhead.js";
import type { FromWebview, Navigation, SentLaunch, ToWebview } from "./messages.js";
import { rowOf } from "./runRow.js";

type RequestOf<T extends FromWebview["type"]> = Extract<FromWebview, { type: T }>;

/** The page, as the receiver of answers to its requests. */
export interface RequestPage {
  /** Post to the page if it is visible. */
  post(message: ToWebview): void;
  /** Post to the page now, or when it is visible again. */
  show(message: Navigation): void;
  taskChanged(task: AsyncTask): void;
  /** The folder a run works in; undefined if the user chooses none. */
  pickFolder(): Promise<string | undefined>;
  /** The folders of the window besides this one. */
  otherFolders(folder: string): readonly string[];
  /** The images in a folder that a goal names, by their paths there. */
  imagesNamed(goal: string, folder: string): Promise<readonly string[]>;
  /** What a launch requests over the limit, unless the user decides. */
  launchOptions(): { overLimit?: "queue" };
}

/** Carries out the page's requests on runs, and answers each one even if it fails. */
export class RunRequests {
  readonly #service: SubagentService;
  readonly #outbox: Outbox;
  readonly #page: RequestPage;
  readonly #search: ReadAhead;

  constructor(service: SubagentService, outbox: Outbox, page: RequestPage) {
    this.#service = service;
    this.#outbox = outbox;
    this.#page = page;
    this.#search = new ReadAhead(service);
  }

  /** Launch one run or several in the folder that the user chooses. */
  async launch(request: RequestOf<"launch">): Promise<void> {
    const { goalPrompt, also, files } = request;
    const sent = { goalPrompt, ...(also && { also }), ...(files && { files }) };
    try {
      await this.#launch(request, sent);
    } catch (error) {
      this.#page.show({ type: "launchFailed", ...launchProblem(error), sent });
    }
  }

  async #launch(
    { subagentName, also = [], ...wanted }: RequestOf<"launch">,
    sent: SentLaunch,
  ): Promise<void> {
    const workspaceDir = await this.#page.pickFolder();
    if (workspaceDir === undefined) {
      this.#page.show({ type: "launchDropped" });
      return;
    }
    const { goalPrompt, queue, chosen = {}, files = [] } = wanted;
    const params = { goalPrompt, workspaceDir, ...this.#options(queue) };
    const folders = this.#page.otherFolders(workspaceDir);
    const images = await this.#page.imagesNamed(goalPrompt, workspaceDir);
    const launched: string[] = [];
    const refused: { readonly name: string; readonly error: unknown }[] = [];
    for (const name of [subagentName, ...also]) {
      try {
        const launch = { ...params, ...launchChoices(chosen[name] ?? {}), subagentName: name };
        const equipment = await equipmentParams(this.#service, launch, { folders, images, files });
        launched.push(await this.#launchOne({ ...launch, ...equipment }));
      } catch (error) {
        refused.push({ name, error });
      }
    }
    this.#launched(launched, refused, sent);
  }

  async #launchOne(params: LaunchParams): Promise<string> {
    const { task } = await this.#service.request("asyncTasks/launch", params);
    this.#page.post({ type: "run", run: rowOf(task) });
    return task.id;
  }

  #launched(
    taskIds: readonly string[],
    refused: readonly { readonly name: string; readonly error: unknown }[],
    sent: SentLaunch,
  ): void {
    const [first] = refused;
    const [taskId, ...others] = taskIds;
    if (first !== undefined) {
      const names = refused.map(({ name }) => name);
      const left = sent.also === undefined ? {} : { left: names, launched: taskIds };
      this.#page.show({ type: "launchFailed", ...launchProblem(first.error), ...left, sent });
    } else if (taskId !== undefined) {
      const all = others.length > 0 ? { others } : {};
      this.#page.show({ type: "launched", taskId, ...all, sent });
    }
  }

  /** Cancel a run; the page receives its state like every change. */
  async cancel(taskId: string): Promise<void> {
    try {
      const { task } = await this.#service.request("asyncTasks/cancel", { taskId });
      this.#page.taskChanged(task);
    } catch (error) {
      this.#page.post({ type: "cancelFailed", taskId, message: refusalWords(error) });
    }
  }

  /** Answer an agent's question. */
  async answer(answer: RequestOf<"answer">): Promise<void> {
    const { taskId, requestId, optionId } = answer;
    try {
      await this.#service.request("asyncTasks/answer", { taskId, requestId, optionId });
    } catch (error) {
      this.#page.post({ type: "answerFailed", taskId, requestId, message: answerRefusal(error) });
    }
  }

  /** Answer an agent's question, and open the address that it asks to open. */
  async reply({ taskId, requestId, action, content }: RequestOf<"reply">): Promise<void> {
    try {
      await reply(this.#service, { taskId, requestId, action, ...(content && { content }) });
    } catch (error) {
      this.#page.post({ type: "answerFailed", taskId, requestId, message: answerRefusal(error) });
    }
  }

  /** Send a message to a running agent. */
  async send({ taskId, text }: RequestOf<"send">): Promise<void> {
    try {
      const { delivery } = await this.#outbox.send(taskId, text);
      this.#page.post({ type: "sent", taskId, text, delivery });
    } catch (error) {
      this.#page.post({ type: "sendFailed", taskId, text, message: refusalWords(error) });
    }
  }

  /** Resume an ended run. */
  async resume({ taskId, text, queue }: RequestOf<"resume">): Promise<void> {
    const params = { taskId, ...(text === undefined ? {} : { text }), ...this.#options(queue) };
    try {
      const { task } = await this.#service.request("asyncTasks/resume", params);
      this.#page.post({ type: "run", run: rowOf(task) });
      this.#page.show({ type: "resumed", taskId, inTaskId: task.id });
    } catch (error) {
      this.#page.show({ type: "resumeFailed", taskId, ...launchProblem(error) });
    }
  }

  /** Read a page of events next to one that the page shows. */
  async page({ taskId, side, seq }: RequestOf<"page">): Promise<void> {
    const read = side === "before" ? eventsBefore : eventsAfter;
    let events: TaskEvent[] = [];
    try {
      events = await read(this.#service, taskId, seq);
    } catch (error) {
      this.#page.post({ type: "taskMissing", taskId, message: refusalWords(error) });
    }
    this.#page.post({ type: "page", taskId, side, seq, events });
  }

  /** Read the events after one for the search, which ends there if it fails. */
  async read({ taskId, seq }: RequestOf<"read">): Promise<void> {
    let events: TaskEvent[] = [];
    try {
      events = await this.#search.after(taskId, seq);
    } catch (error) {
      this.#page.post({ type: "taskMissing", taskId, message: refusalWords(error) });
    }
    this.#page.post({ type: "read", taskId, seq, events });
  }

  #options(queue: boolean): { overLimit?: "queue" } {
    return queue ? { overLimit: "queue" } : this.#page.launchOptions();
  }
}
