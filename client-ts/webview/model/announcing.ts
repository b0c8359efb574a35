import { deliveryWords } from "../../src/speaking.js";
import { isLive, statusSentence } from "../../src/text/outcome.js";
import { blockSource } from "./blocks.js";
import { itemCount } from "./conversation.js";
import { plain } from "./format.js";
import { questionWords } from "./question.js";
import type { MessageItem, SentItem } from "./items.js";
import type { OpenRun } from "./openRun.js";
import { speechTo } from "./speech.js";
import type { State } from "./state.js";

/** No more messages than this are read out at once: the newest. */
const SPOKEN_MESSAGES = 3;
/** How much of a message is read out, in characters. */
const SPOKEN_CHARS = 300;

/**
 * What a screen reader says of a change: messages that are whole, and the end of the open run.
 *
 * What was there before `since`, in ms since the epoch, is not read out when it is loaded.
 */
export function announcements(before: State, after: State, since: number): string[] {
  const [was, is] = [before.open, after.open];
  if (is === undefined || was?.taskId !== is.taskId) {
    return [];
  }
  return [
    ...newMessages(was, is, since),
    ...newQuestions(was, is, since),
    ...newlyTaken(before, after, is.taskId),
    ...newEnd(was, is),
  ];
}

/** That a message was taken, and when the agent hears it. */
function newlyTaken(before: State, after: State, taskId: string): string[] {
  const taken = ({ speeches }: State) =>
    speechTo(speeches, taskId).unsaid.flatMap(({ delivery }) => delivery ?? []);
  const [was, is] = [taken(before), taken(after)];
  const newest = is.at(-1);
  return newest !== undefined && is.length > was.length ? [`Sent. ${deliveryWords(newest)}`] : [];
}

function newQuestions(was: OpenRun, is: OpenRun, since: number): string[] {
  const { items, dropped, questions } = is.stream.conversation;
  const asked = [...questions].filter(([id]) => !was.stream.conversation.questions.has(id));
  return asked.flatMap(([, at]) => {
    const item = items[at - dropped];
    const question = item?.kind === "tool" || item?.kind === "question" ? item.question : undefined;
    return question !== undefined && question.ts >= since
      ? [`Waiting for your answer: ${questionWords(question, SPOKEN_CHARS)}`]
      : [];
  });
}

function newEnd(was: OpenRun, is: OpenRun): string[] {
  const ended = was.task !== undefined && isLive(was.task) && is.task && !isLive(is.task);
  return is.task !== undefined && ended === true ? [statusSentence(is.task)] : [];
}

function newMessages(was: OpenRun, is: OpenRun, since: number): string[] {
  const { items, dropped } = is.stream.conversation;
  const spoken: string[] = [];
  const end = wholeItems(is);
  for (let at = Math.max(wholeItems(was), dropped, end - SPOKEN_MESSAGES); at < end; at += 1) {
    const item = items[at - dropped];
    if ((item?.kind === "message" || item?.kind === "sent") && item.ts >= since) {
      spoken.push(spokenText(item));
    }
  }
  return spoken;
}

function spokenText(item: MessageItem | SentItem): string {
  const [prefix, text] =
    item.kind === "sent" ? ["You: ", item.text] : ["", blockSource(item.block)];
  return prefix + spoken(plain(text)).trim().slice(0, SPOKEN_CHARS);
}

/** Take the marks out of Markdown that a voice would read as words. */
function spoken(text: string): string {
  return text
    .replace(/^ {0,3}(?:`{3,}|~{3,}).*$/gmu, "")
    .replace(/!?\[([^\]]*)\]\([^)\s]*\)/gu, "$1")
    .replace(/^ {0,3}(?:#{1,6}|>|[-*+])[ \t]+/gmu, "")
    .replace(/[`*]+|(?<!\w)_+|_+(?!\w)/gu, "");
}

/** How many items are over: all at the end of a run, before it all but the last. */
function wholeItems({ stream, task }: OpenRun): number {
  const count = itemCount(stream.conversation);
  return task !== undefined && !isLive(task) ? count : Math.max(0, count - 1);
}
