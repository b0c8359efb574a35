import { answeredWords } from "../../../src/questions/answers.js";
import type { AttentionOption, PermissionEvent } from "../../../src/protocol.js";
import {
  type Asked,
  askedLine,
  inFolder,
  questionHeading,
} from "../../../src/questions/questions.js";
import { QUESTION } from "../../text/strings.js";

/** How a question was settled; without `optionId` it was dismissed, or rejected by a rule. */
export type Answer = Pick<PermissionEvent, "optionId" | "kind" | "by">;

/** A permission request. Its call shows the diff. */
export interface Question extends Omit<Asked, "diff"> {
  readonly requestId: string;
  /** When it was asked or answered by a rule, in ms since the epoch. */
  readonly ts: number;
  /** The possible answers; empty if a rule answered before anyone was asked. */
  readonly options: readonly AttentionOption[];
  readonly answer?: Answer;
}

/** Add an event to what is known about its question. */
export function questionAfter(before: Question | undefined, event: PermissionEvent): Question {
  const known = event.state === "asked" || before === undefined ? questionOf(event) : before;
  return event.state === "asked" ? known : { ...known, answer: answerOf(event) };
}

function questionOf(event: PermissionEvent): Question {
  const { requestId, ts, title, options = [], toolKind, command, cwd, paths, url } = event;
  return {
    ...{ requestId, ts, title, options },
    ...(toolKind === undefined ? {} : { toolKind }),
    ...(command === undefined ? {} : { command }),
    ...(cwd === undefined ? {} : { cwd }),
    ...(paths === undefined ? {} : { paths }),
    ...(url === undefined ? {} : { url }),
  };
}

function answerOf({ optionId, kind, by }: PermissionEvent): Answer {
  return { ...(optionId && { optionId }), ...(kind && { kind }), ...(by && { by }) };
}

/** Describe a question in one line for a screen reader, with files as they are shown of a run in a folder. */
export function questionWords(
  question: Question,
  most: number,
  folder: string | undefined,
): string {
  return `${questionHeading(question)} ${askedLine(inFolder(question, folder), most)}`;
}

/** Describe how a question was answered and by what. */
export function answerWords({ options, answer }: Question): string {
  const option = options.find(({ optionId }) => optionId === answer?.optionId);
  switch (answer?.by) {
    case "policy":
      return QUESTION.byPolicy(verdict(answer));
    case "remembered":
      return QUESTION.byMemory(verdict(answer));
    default:
      return option === undefined ? verdict(answer ?? {}) : answeredWords(option);
  }
}

/** Whether an answer allows what was asked. */
export function isAllowed({ kind }: Answer): boolean {
  return kind?.startsWith("allow") === true;
}

/** Whether a person or a rule rejected what was asked, instead of leaving it without an answer. */
export function isRejected(answer: Answer): boolean {
  const { kind, by = "user" } = answer;
  return kind === undefined ? by !== "user" : !isAllowed(answer);
}

function verdict(answer: Answer): string {
  if (isAllowed(answer)) {
    return QUESTION.allowed;
  }
  return isRejected(answer) ? QUESTION.rejected : QUESTION.dismissed;
}
