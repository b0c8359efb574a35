import type { Reveal } from "../../util/reveal.js";
import type { Outbox } from "../../service/outbox.js";
import { inform, showError } from "../../questions/notify.js";
import type { AsyncTask } from "../../protocol.js";
import type { SubagentService } from "../../service/service.js";
import { deliveryWords, isResumable, takesMessages } from "../../text/speaking.js";
import { taskIdOf } from "../arguments.js";
import { askMessage, pickRun } from "./prompts.js";
import { orQueue } from "./queueing.js";
import { requireTrust } from "../trust.js";
import * as strings from "../../text/strings.js";
import { unlessMoved } from "../../util/moves.js";

/** What these commands act on. */
export interface MessagingCommandsContext {
  readonly service: SubagentService;
  readonly outbox: Outbox;
  readonly panel: { reveal(taskId?: string, how?: Reveal): Promise<void> };
}

/** The commands that send a message to the agent of a run, by their ids. */
export function messagingCommands(context: MessagingCommandsContext) {
  return {
    "subagentSidecar.subagent.send": (target?: unknown) => send(context, target),
    "subagentSidecar.subagent.resume": (target?: unknown) => resume(context, target),
  };
}

async function send(context: MessagingCommandsContext, target: unknown): Promise<void> {
  const { service, panel, outbox } = context;
  await service.start();
  const task = await chooseRun(service, target, {
    fits: (each) => takesMessages(service, each),
    question: strings.runs.selectToMessage,
    none: strings.runs.noneListening,
  });
  if (task === undefined) {
    return;
  }
  const title = strings.runs.messageTitle(task.subagentName);
  const delivery = await askUntilAccepted({ title, prompt: strings.runs.message }, (text) =>
    outbox.send(task.id, text),
  );
  if (delivery !== undefined) {
    const { show } = strings.common;
    if ((await inform(deliveryWords(delivery.delivery), show)) === show) {
      await panel.reveal(task.id);
    }
  }
}

async function resume(
  { service, panel }: MessagingCommandsContext,
  target: unknown,
): Promise<void> {
  if (!(await requireTrust())) {
    return;
  }
  await service.start();
  const ended = await chooseRun(service, target, {
    fits: isResumable,
    question: strings.runs.selectToResume,
    none: strings.runs.noneEnded,
  });
  if (ended === undefined) {
    return;
  }
  const title = strings.runs.resumeTitle(ended.subagentName);
  const question = { title, prompt: strings.runs.whatNext, mayBeEmpty: true };
  const taskId = ended.id;
  await unlessMoved(
    (begin) =>
      askUntilAccepted(question, (text) => {
        begin();
        return orQueue(
          (overLimit) =>
            service.request("asyncTasks/resume", { taskId, ...messageIn(text), ...overLimit }),
          begin,
        );
      }),
    ({ task }, opening) => panel.reveal(task.id, opening),
  );
}

function messageIn(text: string): { text?: string } {
  return text.trim() === "" ? {} : { text };
}

interface Choice {
  readonly fits: (task: AsyncTask) => boolean;
  readonly question: string;
  readonly none: string;
}

/** Return the named run, which the sidecar may refuse with a reason, or the user's choice. */
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

/** Ask for a message and pass it on; if it is refused, the user can edit it. */
async function askUntilAccepted<T>(
  question: Parameters<typeof askMessage>[0],
  accept: (text: string) => Promise<T | undefined>,
): Promise<T | undefined> {
  const again = strings.runs.editMessage;
  let text = await askMessage(question);
  while (text !== undefined) {
    try {
      return await accept(text);
    } catch (error) {
      if ((await showError(error, again)) !== again) {
        return undefined;
      }
      text = await askMessage({ ...question, value: text });
    }
  }
  return undefined;
}
