import type { AttentionOption, PermissionEvent } from "../../src/protocol.js";

/** What became of a question; without an `optionId` it was called off, or refused by a rule. */
export type Answer = Pick<PermissionEvent, "optionId" | "kind" | "by">;

/** What an agent asks leave for. */
export interface Question {
  readonly requestId: string;
  /** When it was asked, or answered by a rule; ms since the epoch. */
  readonly ts: number;
  readonly title: string;
  /** The answers there are; empty where a rule answered before anybody was asked. */
  readonly options: readonly AttentionOption[];
  readonly answer?: Answer;
}

/** Add what an event tells to what is known of its question. */
export function questionAfter(before: Question | undefined, event: PermissionEvent): Question {
  const { requestId, ts, title, options = before?.options ?? [], optionId, kind, by } = event;
  if (event.state === "asked") {
    return { requestId, ts, title, options };
  }
  const known = { ...(optionId && { optionId }), ...(kind && { kind }), ...(by && { by }) };
  return { requestId, ts: before?.ts ?? ts, title: before?.title ?? title, options, answer: known };
}

/** Say how a question was answered, and by what. */
export function answerWords({ options, answer }: Question): string {
  const name = options.find(({ optionId }) => optionId === answer?.optionId)?.name;
  switch (answer?.by) {
    case "policy":
      return `${verdict(answer)} by the permissions of this subagent`;
    case "remembered":
      return `${verdict(answer)}, as you decided for good`;
    default:
      return name === undefined ? verdict(answer ?? {}) : `${verdict(answer ?? {})}: “${name}”`;
  }
}

/** Whether the answer lets the agent go on. */
export function isAllowed({ kind }: Answer): boolean {
  return kind?.startsWith("allow") === true;
}

function verdict(answer: Answer): string {
  if (answer.kind === undefined) {
    return answer.by === undefined || answer.by === "user" ? "Called off" : "Refused";
  }
  return isAllowed(answer) ? "Allowed" : "Refused";
}
