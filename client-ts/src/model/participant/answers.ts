import type { AsyncTask, SubagentInfo } from "../../protocol.js";
import { elapsed, isLive, runStatus } from "../../text/outcome.js";
import { cutMiddle } from "../../text/cutting.js";
import { oneLine } from "../../text/words.js";
import { code, fenced, named } from "../text/markup.js";
import { participant as words } from "../text/strings.js";

/** A button below an answer. */
export interface AnswerButton {
  readonly title: string;
  readonly command: string;
  readonly arguments?: readonly string[];
}

/** What the chat shows: Markdown in which a model's words are only in code. */
export interface Answer {
  readonly parts: readonly string[];
  readonly buttons?: readonly AnswerButton[];
}

const GOAL_CHARS = 100;
const RESULT_CHARS = 4_000;
const MOST_ENDED = 5;
const ID_CHARS = 8;

/** List the runs, and the subagents that can be launched. */
export function listAnswer(
  runs: readonly AsyncTask[],
  definitions: readonly SubagentInfo[],
  now: number,
): Answer {
  const launchable = definitions.filter(({ shadowedBy }) => shadowedBy === undefined);
  const lines = launchable.map(
    ({ name, description }) => `- ${code(named(name))}: ${code(oneLine(description, GOAL_CHARS))}`,
  );
  return {
    parts: [
      ...statusParts(runs, now),
      ...(lines.length === 0 ? [words.noDefinitions] : [words.definitions, lines.join("\n")]),
    ],
    buttons: lines.length === 0 ? [CREATE] : [],
  };
}

/** Show what runs and what ended last. */
export function statusAnswer(runs: readonly AsyncTask[], now: number): Answer {
  return { parts: statusParts(runs, now) };
}

/** Show one run with its result. */
export function runAnswer(run: AsyncTask, now: number): Answer {
  const result = run.output?.final_message ?? run.error ?? run.progress.lastText;
  return {
    parts: [
      runLine(run, now),
      ...(result === undefined || result === "" ? [] : [fenced(cutMiddle(result, RESULT_CHARS))]),
    ],
    buttons: [openButton(run)],
  };
}

/** Report that a run was launched. */
export function launchedAnswer(run: AsyncTask): Answer {
  const name = code(named(run.subagentName));
  return {
    parts: [run.status === "queued" ? words.queued(name) : words.launched(name)],
    buttons: [openButton(run)],
  };
}

/** Explain that a launch needs the name of a subagent and a goal. */
export function launchHelp(definitions: readonly SubagentInfo[]): Answer {
  const names = definitions.map(({ name }) => code(named(name)));
  return definitions.length === 0
    ? { parts: [words.noDefinitions], buttons: [CREATE] }
    : { parts: [words.launchUsage, words.known([...new Set(names)].join(", "))] };
}

/** Report that a name or an id matches no run, or several, and list the runs. */
export function choiceAnswer(
  wanted: string,
  fitting: readonly AsyncTask[],
  usage: string,
  now: number,
): Answer {
  const named = wanted === "" ? usage : words.noneFits(code(oneLine(wanted, GOAL_CHARS)));
  return fitting.length === 0
    ? { parts: [wanted === "" ? words.noneRunning : named] }
    : {
        parts: [
          wanted === "" ? usage : words.severalFit,
          fitting.map((run) => `- ${runLine(run, now)}`).join("\n"),
        ],
      };
}

/** Report that a cancel was requested. */
export function cancelledAnswer(run: AsyncTask): Answer {
  return {
    parts: [words.cancelled(code(named(run.subagentName)))],
    buttons: [openButton(run)],
  };
}

/** Return the runs that a text names: by id, by the start of one, or by the subagent. */
export function runsNamed(runs: readonly AsyncTask[], wanted: string): AsyncTask[] {
  const exact = runs.filter(({ id }) => id === wanted);
  return exact.length > 0
    ? exact
    : runs.filter(({ id, subagentName }) => id.startsWith(wanted) || subagentName === wanted);
}

const CREATE: AnswerButton = {
  title: words.create,
  command: "subagentSidecar.definition.create",
};

function openButton({ id }: AsyncTask): AnswerButton {
  return { title: words.open, command: "subagentSidecar.subagent.open", arguments: [id] };
}

function statusParts(runs: readonly AsyncTask[], now: number): string[] {
  const live = runs.filter(isLive);
  const ended = runs.filter((run) => !isLive(run)).slice(0, MOST_ENDED);
  const list = (some: readonly AsyncTask[]): string =>
    some.map((run) => `- ${runLine(run, now)}`).join("\n");
  return [
    ...(live.length === 0 ? [words.noneRunning] : [words.live, list(live)]),
    ...(ended.length === 0 ? [] : [words.ended, list(ended)]),
  ];
}

function runLine(run: AsyncTask, now: number): string {
  const took = elapsed(run, now);
  const facts = [runStatus(run), ...(took === undefined ? [] : [took])].join(", ");
  const goal = code(oneLine(run.goalPrompt, GOAL_CHARS));
  return `${code(run.id.slice(0, ID_CHARS))} ${code(named(run.subagentName))} (${code(facts)}): ${goal}`;
}
