import { answersTo, type Answering } from "./answers.js";
import type { AsyncTask, Attention } from "../protocol.js";
import type { SubagentService } from "../service/service.js";
import { pathInside, shortPath } from "../text/places.js";
import { oneLine } from "../text/words.js";
import * as strings from "../text/strings.js";

/** A run that waits for a person. */
export type Waiting = AsyncTask & { readonly attention: Attention };

/** What a question is about, as the sidecar reports it. */
export type Asked = Pick<
  Attention,
  "title" | "toolKind" | "command" | "cwd" | "paths" | "url" | "diff"
>;

/** A question on one line, with answers that allow only if the line shows the whole request. */
export interface QuestionLine {
  readonly text: string;
  readonly answers: readonly Answering[];
}

const FOLDER_CHARS = 40;

/** Return the runs that wait for an answer, the longest waiting last. */
export function waitingRuns(service: Pick<SubagentService, "tasks">): Waiting[] {
  return [...service.tasks.values()].filter(isWaiting);
}

/** Return whether a run waits for a person. */
export function isWaiting(task: AsyncTask): task is Waiting {
  return task.attention !== undefined && task.status === "running";
}

/** Return the heading of a question whose details follow below. */
export function questionHeading({ toolKind = "" }: Asked): string {
  return strings.questions.doings[toolKind]?.[1] ?? strings.questions.allowThis;
}

/** Name the files inside a folder without that folder, as the conversation does. */
export function inFolder<T extends Asked>(asked: T, folder: string | undefined): T {
  const { paths } = asked;
  return paths === undefined
    ? asked
    : { ...asked, paths: paths.map((path) => pathInside(path, folder) ?? path) };
}

/** Return what an agent asks for, cut to `most` characters: the command, address, files or title. */
export function askedLine(asked: Asked, most: number): string {
  return oneLine(subjectOf(asked).text, most) + changeCounts(asked.diff);
}

/** How many characters of a request and of an answer a surface shows without cutting. */
export interface Room {
  readonly detail: number;
  readonly label: number;
}

/** Put a question on one line, with the answers that fit. */
export function questionLine(run: Waiting, room: Room): QuestionLine {
  const { subagentName, workspaceDir } = run;
  const attention = inFolder(run.attention, workspaceDir);
  const { cwd = workspaceDir } = attention;
  const { text, isAll } = subjectOf(attention);
  const verb = strings.questions.doings[attention.toolKind ?? ""]?.[0];
  const folder = attention.command === undefined ? undefined : commandFolder(cwd, workspaceDir);
  const name = oneLine(subagentName, FOLDER_CHARS);
  const isSeen =
    isAll &&
    attention.diff === undefined &&
    oneLine(text, room.detail) === text &&
    (cwd === workspaceDir || oneLine(shortPath(cwd), FOLDER_CHARS) === cwd);
  return {
    text: strings.questions.line(name, verb, folder, askedLine(attention, room.detail)),
    answers: answersTo(attention.options)
      .map((answer) => ({ ...answer, label: withQuotes(answer.label) }))
      .filter(({ allows, label }) => (isSeen || !allows) && label.length <= room.label),
  };
}

/** Quote what a page shows as code: a line of plain text has no other way to set it apart. */
function withQuotes(label: string): string {
  return label.replace(/`(.+)`/u, (_, code: string) => strings.common.quoted(code));
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
