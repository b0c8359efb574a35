import { shortPath } from "../../../src/text/places.js";
import { exact } from "../../text/format.js";
import { QUESTION } from "../../text/strings.js";
import type { Question } from "../conversation/question.js";

/** What the item around a question shows already, and the input of its call. */
export interface Surroundings {
  /** The files that are shown above the question. */
  readonly paths: readonly string[];
  /** The agent's title of the call, if it is shown above the question. */
  readonly title?: string;
  /** The input of the call, for questions without command, files and address. */
  readonly input?: string;
}

export const ALONE: Surroundings = { paths: [] };

/** What an open question shows between its heading and its buttons. */
export interface AskedTexts {
  /** What would be done. */
  readonly code: readonly string[];
  /** Where a command would run, and what the agent calls the request: a label and a text. */
  readonly notes: readonly (readonly [string, string])[];
}

/** Return everything that would be done: the agent's title may not match it. */
export function askedTexts(
  asked: Question,
  folder: string | undefined,
  around: Surroundings,
): AskedTexts {
  const { title, command, cwd = folder, url, paths = [] } = asked;
  const files = paths.filter((path) => !around.paths.includes(path)).join("\n");
  const parts = [command, url, files].filter(
    (part): part is string => part !== undefined && part !== "",
  );
  const isShown = parts.length > 0 || around.paths.length > 0;
  const shown = isShown ? parts : [around.input ?? title];
  const isTitled = title !== around.title && !shown.includes(title);
  return {
    code: shown.map(exact),
    notes: [
      ...(command === undefined || cwd === undefined
        ? []
        : [[QUESTION.folder, exact(shortPath(cwd))] as const]),
      ...(isTitled ? [[QUESTION.title, exact(title)] as const] : []),
    ],
  };
}
