import type { AttentionOption } from "../protocol.js";
import { oneLine } from "../text/words.js";

/** An answer to a question as it is offered to a person. */
export interface Answering {
  readonly option: AttentionOption;
  /** What it does and how far it reaches; the agent's own name for it may say something else. */
  readonly label: string;
  /** The name of a codicon. */
  readonly icon: string;
  /** Whether the agent may then go on. */
  readonly allows: boolean;
}

const SCOPE_CHARS = 200;
const NAME_CHARS = 60;

/** The kinds of answers in the order they are offered, whichever the agent has. */
const KINDS = ["allow_once", "allow_always", "reject_once", "reject_always"];

/** Return the answers in one order; those that would read the same have the agent's names added. */
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

/** Say in the past tense what an answer of this kind did. */
export function answeredWords(option: AttentionOption): string {
  const verb = option.kind.startsWith("allow") ? "allowed" : "rejected";
  return isRemembered(option)
    ? `Always ${verb}: ${limited(option.scope)}`
    : `${verb.charAt(0).toUpperCase()}${verb.slice(1)}`;
}

function answering(option: AttentionOption): Answering {
  const { kind, scope } = option;
  const always = isRemembered(option);
  switch (kind) {
    case "allow_once":
    case "allow_always":
      return {
        option,
        label: always ? `Always allow ${limited(scope)}` : "Allow once",
        icon: always ? "check-all" : "check",
        allows: true,
      };
    case "reject_once":
    case "reject_always":
      return {
        option,
        label: always ? `Always reject ${limited(scope)}` : "Reject",
        icon: always ? "circle-slash" : "close",
        allows: false,
      };
    default: // Of a kind that is not known, nobody knows what it allows.
      return { option, label: `Answer ${quotedName(option)}`, icon: "question", allows: true };
  }
}

/** An "always" without a scope holds for this question only. */
function isRemembered({ kind, scope }: AttentionOption): boolean {
  return kind.endsWith("_always") && scope !== undefined;
}

function limited(scope = ""): string {
  return oneLine(scope, SCOPE_CHARS);
}

function quotedName({ name }: AttentionOption): string {
  return `“${oneLine(name, NAME_CHARS)}”`;
}

function rank({ kind }: AttentionOption): number {
  const at = KINDS.indexOf(kind);
  return at === -1 ? KINDS.length : at;
}
