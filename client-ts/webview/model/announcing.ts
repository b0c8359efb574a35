import { firstOf } from "../../src/text/cutting.js";
import type { AsyncTask } from "../../src/protocol.js";
import { deliveryWords } from "../../src/text/speaking.js";
import { isLive, statusSentence } from "../../src/text/outcome.js";
import { CONVERSATION, ENDING, MESSAGE } from "../text/strings.js";
import { blockSource } from "./conversation/blocks.js";
import { itemCount } from "./conversation/conversation.js";
import { plain } from "../text/format.js";
import { inquiryWords } from "./questions/inquiry.js";
import { questionWords } from "./conversation/question.js";
import type { MessageItem, SentItem } from "./conversation/items.js";
import type { OpenRun } from "./openRun.js";
import { shownResult } from "./shown/endTexts.js";
import { speechTo } from "./speech.js";
import type { State } from "./state.js";

/** At most this many messages are read out at once, the newest. */
const SPOKEN_MESSAGES = 3;
/** How much of a message is read out, in characters. */
const SPOKEN_CHARS = 300;

/**
 * Return what a screen reader announces about a change: complete messages and the end of the run.
 *
 * Messages older than `since` (ms since the epoch) are not announced when they load.
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

/** Announce that a message was accepted and when it is delivered. */
function newlyTaken(before: State, after: State, taskId: string): string[] {
  const taken = ({ speeches }: State) =>
    speechTo(speeches, taskId).unsaid.flatMap(({ delivery }) => delivery ?? []);
  const [was, is] = [taken(before), taken(after)];
  const newest = is.at(-1);
  return newest !== undefined && is.length > was.length
    ? [MESSAGE.sent(deliveryWords(newest))]
    : [];
}

function newQuestions(was: OpenRun, is: OpenRun, since: number): string[] {
  const { items, dropped, questions } = is.stream.conversation;
  const asked = [...questions].filter(([id]) => !was.stream.conversation.questions.has(id));
  return asked.flatMap(([, at]) => {
    const item = items[at - dropped];
    if (item?.kind === "inquiry") {
      const { inquiry } = item;
      return inquiry.ts >= since ? [CONVERSATION.asks(inquiryWords(inquiry, SPOKEN_CHARS))] : [];
    }
    const question = item?.kind === "tool" || item?.kind === "question" ? item.question : undefined;
    return question !== undefined && question.ts >= since
      ? [CONVERSATION.asks(questionWords(question, SPOKEN_CHARS, is.task?.workspaceDir))]
      : [];
  });
}

function newEnd(was: OpenRun, is: OpenRun): string[] {
  const ended = was.task !== undefined && isLive(was.task) && is.task && !isLive(is.task);
  return is.task !== undefined && ended === true
    ? [statusSentence(is.task), ...resultOf(is.task, is)]
    : [];
}

/** Return the result of a run, as far as it is read out, unless it is in a message. */
function resultOf(task: AsyncTask, { stream }: OpenRun): string[] {
  const result = shownResult(task, stream.conversation);
  return result === undefined ? [] : [`${ENDING.result}: ${readOut(result)}`];
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
    item.kind === "sent" ? [CONVERSATION.you, item.text] : ["", blockSource(item.block)];
  return prefix + readOut(text);
}

function readOut(text: string): string {
  return firstOf(spoken(plain(text)).trim(), SPOKEN_CHARS);
}

/** Remove Markdown marks that a voice would read as words. */
function spoken(text: string): string {
  return text
    .replace(/^ {0,3}(?:`{3,}|~{3,}).*$/gmu, "")
    .replace(/!?\[([^\]]*)\]\([^)\s]*\)/gu, "$1")
    .replace(/^ {0,3}(?:#{1,6}|>|[-*+])[ \t]+/gmu, "")
    .replace(/[`*]+|(?<!\w)_+|_+(?!\w)/gu, "");
}

/** Count the complete items: all of an ended run, otherwise all but the last. */
function wholeItems({ stream, task }: OpenRun): number {
  const count = itemCount(stream.conversation);
  return task !== undefined && !isLive(task) ? count : Math.max(0, count - 1);
}
