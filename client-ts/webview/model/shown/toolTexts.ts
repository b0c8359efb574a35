import type { ToolLocation } from "../../../src/protocol.js";
import { pathInside } from "../../../src/text/places.js";
import { oneLine } from "../../../src/text/words.js";
import { plain } from "../../text/format.js";
import { TOOL } from "../../text/strings.js";
import type { Surroundings } from "./asked.js";
import { SUBJECT_CHARS, type ToolItem } from "../conversation/items.js";
import { isAllowed, type Question } from "../conversation/question.js";

/** How many files of one call are listed. */
const MAX_PLACES = 8;

/** The files of a call that are listed, and how many more there are. */
export interface ShownPlaces {
  readonly listed: readonly ToolLocation[];
  readonly left: number;
}

/** Return what a call is about, unless its title or its files say so. */
export function shownSubject(item: ToolItem): string | undefined {
  const { name, title = name, subject } = item;
  return subject === undefined || title.includes(subject) || isPlace(item, subject)
    ? undefined
    : plain(oneLine(subject, SUBJECT_CHARS));
}

/** Return the files that a call touches, except those whose changes are shown. */
export function shownPlaces(item: ToolItem, folder: string | undefined): ShownPlaces {
  const { places: touched = [], diffs = [] } = item;
  const shown = new Set(diffs.map(({ path }) => pathInside(path, folder) ?? path));
  const others = distinct(touched).filter(
    ({ path }) => !shown.has(pathInside(path, folder) ?? path),
  );
  return { listed: others.slice(0, MAX_PLACES), left: others.length - MAX_PLACES };
}

/** Return the path of a file as it is shown: inside the folder, if it is there, and with its line. */
export function placeText({ path, line }: ToolLocation, folder: string | undefined): string {
  const suffix = line === undefined ? "" : `:${line}`;
  return plain(pathInside(path, folder) ?? path) + suffix;
}

/** Return the question that people were asked about a call, if any. */
export function askedOf({ question }: ToolItem): Question | undefined {
  return question?.options.length === 0 ? undefined : question;
}

/** Return how a rule answered, if one did. */
export function ruleWord({ question: asked }: ToolItem): string | undefined {
  if (asked?.answer === undefined || asked.options.length > 0) {
    return undefined;
  }
  return isAllowed(asked.answer) ? TOOL.allowed : TOOL.rejected;
}

/** Return what a question about a call does not have to repeat. */
export function surroundingsOf(item: ToolItem, folder: string | undefined): Surroundings {
  const { name, title = name, subject, input, diffs = [] } = item;
  const given = subject ?? input;
  const paths = [...diffs, ...shownPlaces(item, folder).listed];
  return {
    title,
    paths: paths.map(({ path }) => path),
    ...(given === undefined ? {} : { input: given }),
  };
}

function isPlace({ places: touched = [], diffs = [] }: ToolItem, subject: string): boolean {
  return [...touched, ...diffs].some(
    ({ path }) => path === subject || path.endsWith(`/${subject}`),
  );
}

function distinct(touched: readonly ToolLocation[]): ToolLocation[] {
  return [
    ...new Map(touched.map((place) => [`${place.path}:${place.line ?? ""}`, place])).values(),
  ];
}
