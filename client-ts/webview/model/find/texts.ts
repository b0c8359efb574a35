import type { PageTask } from "../../../src/panel/pageTask.js";
import type { AsyncTask, TouchedFile } from "../../../src/protocol.js";
import { isLive } from "../../../src/text/outcome.js";
import { codeParts } from "../../text/codeParts.js";
import { cutText, plain, valueText } from "../../text/format.js";
import { readableTexts } from "../../text/readable.js";
import { ENDING } from "../../text/strings.js";
import type { Conversation } from "../conversation/conversation.js";
import {
  adviceOf,
  broughtBackWords,
  changedPath,
  endSentence,
  failureOf,
  listedChanges,
  listedTouches,
  shownLog,
  shownResult,
} from "../shown/endTexts.js";
import { GOAL_CHARS, type Item, keyOf } from "../conversation/items.js";
import { placeText } from "../shown/toolTexts.js";
import { variablesOf } from "../conversation/variables.js";
import { type ItemPlace, itemTexts } from "./itemTexts.js";
import { SEPARATOR } from "./occurrences.js";
import { END, GOAL, LOG, PLAN, VARIABLES } from "./parts.js";

/** What is shown of a run around its items. */
export interface Around {
  readonly task?: PageTask;
  /** What the run changed, once that is known. */
  readonly files?: readonly TouchedFile[];
  /** The commands that sign in to its agent, if it failed without a sign-in. */
  readonly signIn?: readonly string[];
  readonly stream: { readonly conversation: Conversation; readonly newestSeq: number };
}

/** What a reader sees of one part of a conversation, such as an item. */
export interface PartText {
  /** The key of the item, or the name of the part. */
  readonly key: string;
  /** The event with which it begins. */
  readonly seq: number;
  readonly text: string;
}

/** Return the texts of a conversation in their order, from the plan to the end of the run. */
export function textsOf(around: Around, { items }: Conversation): PartText[] {
  const { task, stream } = around;
  const { plan = [], variables, log } = stream.conversation;
  const place = {
    live: task === undefined || isLive(task),
    folder: task?.workspaceDir,
  };
  const goal = task === undefined ? [] : [cutText(task.goalPrompt, GOAL_CHARS)];
  const { named } = variablesOf(task, variables);
  const logText = part(LOG, Infinity, [plain(shownLog(task, log)?.text ?? "")]);
  const endText = part(END, Infinity, endTexts(around));
  return [
    part(
      PLAN,
      0,
      plan.map(({ content }) => plain(content)),
    ),
    part(GOAL, 0, [...goal, ...(task?.attachments ?? [])].map(plain)),
    ...items.map((item) => itemText(item, place)),
    part(
      VARIABLES,
      Infinity,
      named.flatMap(([name, value]) => [name, valueText(value)].map(plain)),
    ),
    ...(place.live ? [logText, endText] : [endText, logText]),
  ];
}

function part(key: string, seq: number, texts: readonly string[]): PartText {
  return { key, seq, text: texts.join(SEPARATOR) };
}

const known = new WeakMap<Item, PartText & ItemPlace>();

function itemText(item: Item, place: ItemPlace): PartText {
  const before = known.get(item);
  if (before?.live === place.live && before.folder === place.folder) {
    return before;
  }
  // Only what is asked depends on whether the run is active, and only paths on its folder.
  const isSame = before !== undefined && (item.kind === "message" || item.kind === "thought");
  const text = isSame ? before.text : itemTexts(item, place).join(SEPARATOR);
  const next = { key: keyOf(item), seq: item.seq, text, ...place };
  known.set(item, next);
  return next;
}

/** Return what the card says that ends a run. */
function endTexts({ task, files, signIn, stream }: Around): string[] {
  if (task === undefined || isLive(task)) {
    return [];
  }
  const failure = failureOf(task, signIn);
  const { workspaceDir } = task;
  const result = shownResult(task, stream.conversation);
  return [
    endSentence(task),
    ...given([failure?.cause, failure?.whole, adviceOf(task, signIn)]),
    ...signInTexts(task, signIn),
    ...(result === undefined ? [] : readableTexts(result)),
    ...listedChanges(files).map((file) => changedPath(file, workspaceDir)),
    ...listedTouches(task, files).map((path) => placeText({ path }, workspaceDir)),
    ...given([broughtBackWords(task)]).map((words) => codeParts(words).join("")),
  ];
}

/** Return the words about a sign-in that the agent of a run lacks, if its commands are known. */
function signInTexts(
  { runner, reason, error }: AsyncTask,
  commands: readonly string[] | undefined,
): string[] {
  if (commands === undefined) {
    return [];
  }
  const words = ENDING[commands.length === 0 ? "signInElsewhere" : "signIn"];
  return [
    words(runner),
    ...(commands.length === 1 ? commands.map(plain) : []),
    ...(reason === undefined || error === undefined ? [] : [plain(error)]),
  ];
}

function given(texts: readonly (string | undefined)[]): string[] {
  return texts.filter((text) => text !== undefined);
}
