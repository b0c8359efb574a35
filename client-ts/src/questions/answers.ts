import type { AttentionOption } from "../protocol.js";
import { oneLine } from "../text/words.js";
import { scopeWords } from "./scopeWords.js";
import * as strings from "../text/strings.js";

/** An answer to a question as it is offered to a person. */
export interface Answering {
  readonly option: AttentionOption;
  /** What it does and its scope; the agent's own name for it may differ. */
  readonly label: string;
  /** The name of a codicon. */
  readonly icon: string;
  /** Whether it lets the agent continue. */
  readonly allows: boolean;
}

const SCOPE_CHARS = 200;
const NAME_CHARS = 60;

/** The kinds of answers in the order they are offered. */
const KINDS = ["allow_once", "allow_always", "reject_once", "reject_always"];

/** Return the answers in a fixed order; append the agent's names to labels that are equal. */
export function answersTo(options: readonly AttentionOption[]): Answering[] {
  const answers = options
    .map((option) => answering(option))
    .sort((a, b) => rank(a.option) - rank(b.option));
  return answers.map((answer) =>
    answers.some((other) => other !== answer && other.label === answer.label)
      ? { ...answer, label: `${answer.label}: ${quotedName(answer.option)}` }
      : answer,
  );
}

/** Describe in the past tense what an answer did. */
export function answeredWords(option: AttentionOption): string {
  const { allowed, rejected, alwaysAllowed, alwaysRejected } = strings.questions;
  const [once, always] = option.kind.startsWith("allow")
    ? [allowed, alwaysAllowed]
    : [rejected, alwaysRejected];
  return isRemembered(option) ? always(limited(option.scope)) : once;
}

function answering(option: AttentionOption): Answering {
  const { kind, scope } = option;
  const always = isRemembered(option);
  const { allowOnce, allowAlways, reject, rejectAlways, answer } = strings.questions;
  switch (kind) {
    case "allow_once":
    case "allow_always":
      return {
        option,
        label: always ? allowAlways(limited(scope)) : allowOnce,
        icon: always ? "check-all" : "check",
        allows: true,
      };
    case "reject_once":
    case "reject_always":
      return {
        option,
        label: always ? rejectAlways(limited(scope)) : reject,
        icon: always ? "circle-slash" : "close",
        allows: false,
      };
    default: // It is unknown what an answer of an unknown kind allows.
      return { option, label: answer(quotedName(option)), icon: "question", allows: true };
  }
}

/** An "always" without a scope holds for this question only. */
function isRemembered({ kind, scope }: AttentionOption): boolean {
  return kind.endsWith("_always") && scope !== undefined;
}

function limited(scope = ""): string {
  return oneLine(scopeWords(scope), SCOPE_CHARS);
}

function quotedName({ name }: AttentionOption): string {
  return strings.common.quoted(oneLine(name, NAME_CHARS));
}

function rank({ kind }: AttentionOption): number {
  const at = KINDS.indexOf(kind);
  return at === -1 ? KINDS.length : at;
}
