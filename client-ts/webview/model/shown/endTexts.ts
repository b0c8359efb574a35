import type { PageTask } from "../../../src/panel/pageTask.js";
import type { AsyncTask, TouchedFile } from "../../../src/protocol.js";
import { endAdvice, isLive, statusSentence } from "../../../src/text/outcome.js";
import { pathInside } from "../../../src/text/places.js";
import { plain } from "../../text/format.js";
import { ENDING } from "../../text/strings.js";
import { failureDetail, storedSentence } from "../../text/words.js";
import type { Conversation } from "../conversation/conversation.js";
import { finalText, lastMessageAt } from "../conversation/result.js";
import type { TextTail } from "../conversation/textTail.js";

/** An error with more lines than this is folded, except its last line. */
const CAUSE_LINES = 4;
/** How many files are listed that a run changed, and that it touched without a report. */
const MOST_CHANGED = 12;
const MOST_TOUCHED = 100;

/** An error, or its last line with all of it: that line names the cause in most error output. */
export interface Failure {
  readonly cause: string;
  readonly whole?: string;
}

/** Return how a run or a stored task ended, in a sentence. */
export function endSentence(task: PageTask): string {
  return task.stored === undefined ? statusSentence(task) : storedSentence(task.stored);
}

/** Return the error of a failed run, unless the sign-in that it lacks is explained. */
export function failureOf(
  task: AsyncTask,
  signIn: readonly string[] | undefined,
): Failure | undefined {
  const words = explainsSignIn(task, signIn) ? undefined : failureDetail(task);
  if (words === undefined) {
    return undefined;
  }
  const whole = plain(words);
  const lines = whole.trimEnd().split("\n");
  return lines.length <= CAUSE_LINES ? { cause: whole } : { cause: lines.at(-1) ?? "", whole };
}

/** Return what a person can do about the end of a run, unless the sign-in that it lacks is explained. */
export function adviceOf(
  task: AsyncTask,
  signIn: readonly string[] | undefined,
): string | undefined {
  return explainsSignIn(task, signIn) ? undefined : endAdvice(task.endReason);
}

function explainsSignIn({ reason }: AsyncTask, signIn: readonly string[] | undefined): boolean {
  return reason === "authRequired" && signIn !== undefined;
}

/** Return the final message of a run, unless something else shows it. */
export function shownResult(task: AsyncTask, conversation: Conversation): string | undefined {
  const text = finalText(task, conversation);
  return text === task.error ? undefined : text;
}

/** Return where the final message begins among the items of an ended run; undefined if it is not the last one. */
export function answerAt(
  task: PageTask | undefined,
  conversation: Conversation,
): number | undefined {
  return task === undefined || isLive(task) || shownResult(task, conversation) !== undefined
    ? undefined
    : lastMessageAt(conversation);
}

/** Return the error output of a run, unless its end shows it. */
export function shownLog(task: AsyncTask | undefined, log: TextTail): TextTail | undefined {
  const error = task === undefined ? undefined : failureDetail(task);
  const isShown = error !== undefined && log.text.trim() !== "" && error.includes(log.text.trim());
  return isShown || log.text === "" ? undefined : log;
}

/** Return the files that a run changed and that are listed. */
export function listedChanges(files: readonly TouchedFile[] = []): readonly TouchedFile[] {
  // A line that says "and 1 more file" would take the place of that file.
  return files.length === MOST_CHANGED + 1 ? files : files.slice(0, MOST_CHANGED);
}

/** Return the files that a run touched, if it has no reports of changes. */
export function listedTouches(
  { partial }: AsyncTask,
  files: readonly TouchedFile[] = [],
): readonly string[] {
  return files.length > 0 ? [] : (partial?.touchedFiles ?? []).slice(0, MOST_TOUCHED);
}

/** Return the path of a changed file as it is shown. */
export function changedPath({ path }: TouchedFile, folder: string): string {
  return plain(pathInside(path, folder) ?? path);
}

/** Describe where the changes of a run on the cluster are: the files here are unchanged. */
export function broughtBackWords({ id, placement, changes }: AsyncTask): string | undefined {
  return placement?.kind === "ray" && changes !== undefined && changes.files > 0
    ? ENDING.broughtBack(`refs/sidecar/${id}`)
    : undefined;
}
