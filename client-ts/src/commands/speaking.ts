import type { Outbox } from "../service/outbox.js";
import { inform, showError } from "../questions/notify.js";
import type { AsyncTask } from "../protocol.js";
import type { SubagentService } from "../service/service.js";
import { deliveryWords, isResumable, takesMessages } from "../speaking.js";
import { taskIdOf } from "./arguments.js";
import { askWords, pickRun } from "./asking.js";
import { orQueue } from "./queueing.js";
import { requireTrust } from "./trust.js";

/** What these commands act on. */
export interface SpeakingCommandsContext {
  readonly service: SubagentService;
  readonly outbox: Outbox;
  readonly panel: { reveal(taskId?: string): Promise<void> };
}

/** The commands that say something to the agent of a run, by their ids. */
export function speakingCommands(context: SpeakingCommandsContext) {
  return {
    "subagentSidecar.subagent.send": (target?: unknown) => send(context, target),
    "subagentSidecar.subagent.resume": (target?: unknown) => resume(context, target),
  };
}

async function send(context: SpeakingCommandsContext, target: unknown): Promise<void> {
  const { service, panel, outbox } = context;
  await service.start();
  const task = await chooseRun(service, target, {
    fits: (each) => takesMessages(service, each),
    question: "Select a subagent to send a message to",
    none: "No running subagent accepts messages.",
  });
  if (task === undefined) {
    return;
  }
  const title = `Send to ${task.subagentName}`;
  const delivery = await askUntilTaken({ title, prompt: "Your message" }, (text) =>
    outbox.send(task.id, text),
  );
  if (delivery !== undefined) {
    const show = "Show";
    const told = deliveryWords(delivery.delivery);
    if ((await inform(told, show)) === show) {
      await panel.reveal(task.id);
    }
  }
}

async function resume({ service, panel }: SpeakingCommandsContext, target: unknown): Promise<void> {
  if (!(await requireTrust())) {
    return;
  }
  await service.start();
  const ended = await chooseRun(service, target, {
    fits: isResumable,
    question: "Select a subagent to resume",
    none: "No subagent has ended yet.",
  });
  if (ended === undefined) {
    return;
  }
  const asked = { title: `Resume ${ended.subagentName}`, mayBeEmpty: true };
  const resumed = await askUntilTaken({ ...asked, prompt: "What next? (optional)" }, (text) =>
    orQueue((wish) =>
      service.request("asyncTasks/resume", { taskId: ended.id, ...wordsOf(text), ...wish }),
    ),
  );
  if (resumed !== undefined) {
    await panel.reveal(resumed.task.id);
  }
}

function wordsOf(text: string): { text?: string } {
  return text.trim() === "" ? {} : { text };
}

interface Choice {
  readonly fits: (task: AsyncTask) => boolean;
  readonly question: string;
  readonly none: string;
}

/** The run that is named, fit or not, so that the sidecar says what is wrong with it; else the user's choice. */
async function chooseRun(
  service: SubagentService,
  target: unknown,
  { fits, question, none }: Choice,
): Promise<AsyncTask | undefined> {
  const taskId = taskIdOf(target);
  if (taskId !== undefined) {
    return (await service.request("asyncTasks/get", { taskId })).task;
  }
  const fit = [...service.tasks.values()].filter(fits);
  if (fit.length === 0) {
    void inform(none);
    return undefined;
  }
  return pickRun(fit, question);
}

/** Ask for words and hand them on; where they are refused, they can be mended. */
async function askUntilTaken<T>(
  question: Parameters<typeof askWords>[0],
  hand: (text: string) => Promise<T | undefined>,
): Promise<T | undefined> {
  const again = "Edit…";
  let text = await askWords(question);
  while (text !== undefined) {
    try {
      return await hand(text);
    } catch (error) {
      if ((await showError(error, again)) !== again) {
        return undefined;
      }
      text = await askWords({ ...question, value: text });
    }
  }
  return undefined;
}
