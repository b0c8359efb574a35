import type { AsyncTask, RunnerInfo, SubagentInfo } from "../../protocol.js";
import { duration } from "../../l10n/format.js";
import { withHiddenShown } from "../../text/unseen.js";
import { cutMiddle } from "../../text/cutting.js";
import { oneLine } from "../../text/words.js";
import { type CheckInput, cancels, sends, type TaskInput } from "./input.js";
import { named } from "../text/markup.js";
import { confirmations as words } from "../text/strings.js";

type Named = readonly (readonly [name: string, text: string])[];

/** What a person reads before a tool runs. `quotes` are a model's words, to show as they are. */
export interface Confirmation {
  readonly title: string;
  readonly facts: Named;
  /** A sentence of the extension. */
  readonly note?: string;
  readonly quotes: Named;
}

const VALUE_CHARS = 300;
const QUOTE_CHARS = 4_000;

/** Describe which subagent a call of `task` runs, with which goal and rights. */
export function taskConfirmation(
  input: TaskInput,
  definition: SubagentInfo | undefined,
  runner: RunnerInfo["type"] | undefined,
  folder: string | undefined,
): Confirmation {
  const place = folder ?? words.noFolder;
  const runs = input.async === true ? words.background : words.foreground;
  const known = definition === undefined ? [] : definitionFacts(input, definition, runner);
  return {
    title: words.taskTitle(named(input.subagent_name)),
    quotes: quoted([
      [words.facts.goal, input.goal_prompt],
      [words.facts.instructions, input.behaviour_prompts?.join("\n\n")],
      [words.facts.context, contextOf(input)],
    ]),
    facts: facts([[words.facts.runs, runs], ...known, [words.facts.folder, place]]),
    ...(definition === undefined ? { note: words.unknownRights } : {}),
  };
}

/** Describe what a call of `check_async_tasks` changes; undefined if it only reads. */
export function checkConfirmation(
  input: CheckInput,
  run: AsyncTask | undefined,
): Confirmation | undefined {
  const name =
    run === undefined ? words.unknownRun(named(input.task_id ?? "")) : named(run.subagentName);
  if (cancels(input)) {
    const quotes = quoted([[words.facts.goal, run?.goalPrompt]]);
    return { title: words.cancelTitle(name), quotes, facts: [], note: words.cancelMessage };
  }
  return sends(input)
    ? {
        title: words.sendTitle(name),
        quotes: quoted([[words.facts.message, input.message]]),
        facts: [],
      }
    : undefined;
}

function definitionFacts(
  input: TaskInput,
  definition: SubagentInfo,
  type: RunnerInfo["type"] | undefined,
): [string, string][] {
  const { model, source } = definition;
  const seconds = input.timeout_seconds ?? definition.timeoutSeconds;
  const isCommand = type === "command";
  return [
    [words.facts.agent, definition.runner],
    ...(isCommand ? [] : [fact(words.facts.model, model ?? words.ownModel)]),
    [words.facts.permissions, isCommand ? words.command : policyOf(definition)],
    ...(isCommand
      ? []
      : [fact(words.facts.tools, toolsOf(input.tool_whitelist, definition.tools))]),
    ...(seconds == null ? [] : [timeLimit(seconds)]),
    [words.facts.definition, words.definedIn(source.level, source.path)],
  ];
}

function fact(name: string, value: string): [string, string] {
  return [name, value];
}

function timeLimit(seconds: number): [string, string] {
  return [words.facts.timeLimit, seconds < 0 ? words.noLimit : duration(seconds * 1_000)];
}

function policyOf({ permissions, approval }: SubagentInfo): string {
  if (permissions === undefined) {
    return words.defaultPolicy;
  }
  return approval === undefined ? words.policies[permissions] : words.notApproved(permissions);
}

function toolsOf(
  wanted: readonly string[] | undefined,
  defined: readonly string[] | undefined,
): string {
  const list = (names: readonly string[]): string =>
    names.length === 0 ? words.noTools : names.join(", ");
  if (wanted === undefined) {
    return defined === undefined ? words.allTools : list(defined);
  }
  return defined === undefined || wanted.length === 0
    ? list(wanted)
    : words.onlyOf(list(wanted), list(defined));
}

function contextOf({ context }: TaskInput): string | undefined {
  return context === undefined || Object.keys(context).length === 0
    ? undefined
    : JSON.stringify(context, undefined, 2);
}

function quoted(texts: readonly (readonly [string, string | undefined])[]): [string, string][] {
  return texts.flatMap(([name, text]): [string, string][] =>
    text === undefined || text === ""
      ? []
      : [[name, cutMiddle(withHiddenShown(text), QUOTE_CHARS)]],
  );
}

function facts(lines: Named): Named {
  return lines.map(([name, value]) => [name, oneLine(withHiddenShown(value), VALUE_CHARS)]);
}
