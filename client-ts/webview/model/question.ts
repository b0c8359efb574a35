import { answeredWords } from "../../src/questions/answers.js";
import type { AttentionOption, PermissionEvent } from "../../src/protocol.js";
import { type Asked, askedLine, questionHeading } from "../../src/questions/questions.js";

/** What became of a question; without an `optionId` it was called off, or refused by a rule. */
export type Answer = Pick<PermissionEvent, "optionId" | "kind" | "by">;

/** What an agent asks permission for; its call shows the diff. */
export interface Question extends Omit<Asked, "diff"> {
  readonly requestId: string;
  /** When it was asked, or answered by a rule; ms since the epoch. */
  readonly ts: number;
  /** The answers there are; empty where a rule answered before anybody was asked. */
  readonly options: readonly AttentionOption[];
  readonly answer?: Answer;
}

/** Add what an event tells to what is known of its question. */
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

/** Say in one line what is asked, for a screen reader. */
export function questionWords(question: Question, most: number): string {
  return `${questionHeading(question)} ${askedLine(question, most)}`;
}

/** Say how a question was answered, and by what. */
export function answerWords({ options, answer }: Question): string {
  const option = options.find(({ optionId }) => optionId === answer?.optionId);
  switch (answer?.by) {
    case "policy":
      return `${verdict(answer)} by the permissions of this subagent`;
    case "remembered":
      return `${verdict(answer)} by a permission you saved`;
    default:
      return option === undefined ? verdict(answer ?? {}) : answeredWords(option);
  }
}

/** Whether the answer lets the agent go on. */
export function isAllowed({ kind }: Answer): boolean {
  return kind?.startsWith("allow") === true;
}

function verdict(answer: Answer): string {
  if (answer.kind === undefined) {
    return answer.by === undefined || answer.by === "user" ? "Dismissed" : "Rejected";
  }
  return isAllowed(answer) ? "Allowed" : "Rejected";
}
