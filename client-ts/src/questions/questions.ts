import { answersTo, type Answering } from "./answers.js";
import type { AsyncTask, Attention } from "../protocol.js";
import type { SubagentService } from "../service/service.js";
import { oneLine } from "../text/words.js";

/** A run that waits for a person. */
export type Waiting = AsyncTask & { readonly attention: Attention };

/** What a question is about, as the sidecar tells it. */
export type Asked = Pick<
  Attention,
  "title" | "toolKind" | "command" | "cwd" | "paths" | "url" | "diff"
>;

/** A question on one line: with no answer that allows, unless all that would be done is in it. */
export interface QuestionLine {
  readonly text: string;
  readonly answers: readonly Answering[];
}

/** What each kind of tool does, as in "wants to …" and as a heading. */
const DOINGS: Partial<Record<string, readonly [verb: string, heading: string]>> = {
  execute: ["run", "Run this command?"],
  edit: ["edit", "Make this edit?"],
  delete: ["delete", "Delete this?"],
  move: ["move", "Move this?"],
  read: ["read", "Read this?"],
  search: ["search", "Search here?"],
  fetch: ["fetch", "Fetch this address?"],
};

const FOLDER_CHARS = 40;

/** Return the runs that wait for an answer, the longest waiting last. */
export function waitingRuns(service: Pick<SubagentService, "tasks">): Waiting[] {
  return [...service.tasks.values()].filter(isWaiting);
}

/** Tell whether a run waits for a person. */
export function isWaiting(task: AsyncTask): task is Waiting {
  return task.attention !== undefined && task.status === "running";
}

/** Return the heading of a question whose details stand below it. */
export function questionHeading({ toolKind = "" }: Asked): string {
  return DOINGS[toolKind]?.[1] ?? "Allow this?";
}

/** Say what an agent asks for, cut to `most` characters: the command, address or files, else its title. */
export function askedLine(asked: Asked, most: number): string {
  return oneLine(subjectOf(asked).text, most) + changeCounts(asked.diff);
}

/** How many characters of what is asked for, and of an answer, a surface shows uncut. */
export interface Room {
  readonly detail: number;
  readonly label: number;
}

/** Put a question on one line, with the answers that fit beside it. */
export function questionLine(run: Waiting, room: Room): QuestionLine {
  const { attention, subagentName, workspaceDir } = run;
  const { cwd = workspaceDir } = attention;
  const { text, isAll } = subjectOf(attention);
  const verb = DOINGS[attention.toolKind ?? ""]?.[0];
  const asks = verb === undefined ? "asks" : `wants to ${verb}`;
  const folder = attention.command === undefined ? "" : ` in ${commandFolder(cwd, workspaceDir)}`;
  const isSeen =
    isAll &&
    attention.diff === undefined &&
    oneLine(text, room.detail) === text &&
    (cwd === workspaceDir || oneLine(cwd, FOLDER_CHARS) === cwd);
  return {
    text: `${oneLine(subagentName, FOLDER_CHARS)} ${asks}${folder}: ${askedLine(attention, room.detail)}`,
    answers: answersTo(attention.options).filter(
      ({ allows, label }) => (isSeen || !allows) && label.length <= room.label,
    ),
  };
}

/** Return what a question names, and whether that is all that would be done. */
function subjectOf(asked: Asked): { readonly text: string; readonly isAll: boolean } {
  const { title, toolKind, command, url, paths = [] } = asked;
  if (command !== undefined) {
    return { text: command, isAll: true };
  }
  if (url !== undefined) {
    return { text: url, isAll: true };
  }
  // The sidecar ends a long list with "[N more paths]". Of a command, files are not all there is.
  const isAll = toolKind !== "execute" && paths.at(-1)?.startsWith("[") === false;
  return paths.length === 0 ? { text: title, isAll: false } : { text: paths.join(", "), isAll };
}

/** Count the lines that a unified diff adds and removes: ` (+3 −1)`. */
function changeCounts(diff: string | undefined): string {
  if (diff === undefined) {
    return "";
  }
  const count = (sign: RegExp): number => diff.match(sign)?.length ?? 0;
  return ` (+${count(/^\+(?!\+\+ )/gmu)} −${count(/^-(?!-- )/gmu)})`;
}

/** Name the workspace, and any other directory with its whole path. */
function commandFolder(cwd: string, workspaceDir: string): string {
  return cwd === workspaceDir ? folderName(workspaceDir) : oneLine(cwd, FOLDER_CHARS);
}

function folderName(folder: string): string {
  return oneLine(folder.split(/[\\/]/u).findLast((part) => part !== "") ?? folder, FOLDER_CHARS);
}
