import type { ToWebview } from "../../../src/panel/messages.js";
import type { SlashCommand } from "../../../src/protocol.js";
import { mentionOf } from "../../../src/offers/mention.js";

/** The most commands that are offered. */
const MOST_COMMANDS = 50;

/** A path in quotes that are not closed yet, which may have spaces. */
const QUOTED = /(?:^|[\s(])@"(?<text>[^"\n]*)$/u;

/** Where in a text something is being named: from the `@` or the `/` to the cursor. */
export interface Spot {
  /** A file, or at the start of the text a command of the agent. */
  readonly kind: "file" | "command";
  /** What was typed after the sign. */
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** What can be meant. */
export interface Suggestion {
  /** The path or the name, which is inserted. */
  readonly name: string;
  /** What a command does. */
  readonly description?: string;
  /** What to write after a command. */
  readonly hint?: string;
}

/** What is being named, and what it could be. */
export interface Mention extends Spot {
  readonly found: readonly Suggestion[];
  /** The number of the one that Enter takes. */
  readonly current: number;
  /** The user closed what was offered: nothing is until something else is named. */
  readonly isDismissed?: true;
}

/** What the user does while something is being named. */
export type MentionEvent =
  /** The goal was changed; with a mention, something is being named at the cursor. */
  | { readonly type: "write"; readonly goal: string; readonly mention?: Spot }
  | { readonly type: "pointMention"; readonly by: 1 | -1 }
  | { readonly type: "dismissMention" }
  | { readonly type: "closeMention" };

/** Return what is being named at the cursor; undefined if nothing is. */
export function spotAt(text: string, cursor: number): Spot | undefined {
  const before = text.slice(0, cursor);
  const command = /^\/(?<text>\S*)$/u.exec(before)?.groups?.["text"];
  if (command !== undefined) {
    return { kind: "command", text: command, start: 0, end: cursor };
  }
  const quoted = QUOTED.exec(before)?.groups?.["text"];
  if (quoted !== undefined) {
    const end = text[cursor] === '"' ? cursor + 1 : cursor;
    return { kind: "file", text: quoted, start: cursor - quoted.length - 2, end };
  }
  const path = /(?:^|[\s(])@(?<text>[^\s@"]*)$/u.exec(before)?.groups?.["text"];
  return path === undefined
    ? undefined
    : { kind: "file", text: path, start: cursor - path.length - 1, end: cursor };
}

/** Apply an event to what is being named. Pure. `commands` are those of the agent. */
export function reduceMention(
  mention: Mention | undefined,
  event: MentionEvent | Extract<ToWebview, { type: "foundFiles" }>,
  commands: readonly SlashCommand[],
): Mention | undefined {
  switch (event.type) {
    case "write":
      return event.mention && mentionAt(event.mention);
    case "foundFiles":
      return mention?.kind === "file" && mention.text === event.text && !mention.isDismissed
        ? { ...mention, ...withFound(mention, event.paths) }
        : mention;
    case "pointMention":
      return mention && { ...mention, current: moved(mention, event.by) };
    case "dismissMention":
      return mention && dismissed(mention);
    case "closeMention":
      return undefined;
  }

  function mentionAt(spot: Spot): Mention {
    const isSame = mention?.kind === spot.kind && mention.start === spot.start;
    return isSame && mention.isDismissed
      ? dismissed(spot)
      : { ...spot, found: foundAt(spot), current: 0 };
  }

  /** Commands are known; files stay until those of the new text are found. */
  function foundAt({ kind, text }: Spot): readonly Suggestion[] {
    if (kind === "command") {
      return matching(commands, text);
    }
    return mention?.kind === "file" ? mention.found : [];
  }
}

function dismissed(spot: Spot): Mention {
  return { ...spot, found: [], current: 0, isDismissed: true };
}

/** Files may be found again for the same text: the one that the user pointed at stays so. */
function withFound({ found, current }: Mention, paths: readonly string[]) {
  const pointedAt = current === 0 ? undefined : found[current]?.name;
  const at = pointedAt === undefined ? 0 : paths.indexOf(pointedAt);
  return { found: paths.map((name) => ({ name })), current: Math.max(0, at) };
}

/** Return the text that names what was taken, with the space after it. */
export function named({ kind }: Spot, { name }: Suggestion): string {
  return kind === "file" ? `${mentionOf(name)} ` : `/${name} `;
}

/** Return the commands whose names contain a text, those that begin with it first. */
function matching(commands: readonly SlashCommand[], text: string): readonly SlashCommand[] {
  const typed = text.toLowerCase();
  const at = ({ name }: SlashCommand): number => name.toLowerCase().indexOf(typed);
  const begins = commands.filter((each) => at(each) === 0);
  const contains = commands.filter((each) => at(each) > 0);
  return [...begins, ...contains].slice(0, MOST_COMMANDS);
}

/** Return the number of the suggestion some lines further, around both ends. */
function moved({ found, current }: Mention, by: number): number {
  return found.length === 0 ? 0 : (current + by + found.length) % found.length;
}
