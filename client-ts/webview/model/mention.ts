import type { ToWebview } from "../../src/panel/messages.js";

/** Where in a text a file is being named: from the `@` to the cursor. */
export interface Spot {
  /** What was typed after the `@`. */
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** A file that is being named, and those that it could be. */
export interface Mention extends Spot {
  readonly paths: readonly string[];
  /** The number of the path that Enter takes. */
  readonly current: number;
}

/** What the user does while a file is being named. */
export type MentionEvent =
  /** The goal was changed; with a mention, a file is being named at the cursor. */
  | { readonly type: "write"; readonly goal: string; readonly mention?: Spot }
  | { readonly type: "pointMention"; readonly by: 1 | -1 }
  | { readonly type: "closeMention" };

/** Return where a file is being named at the cursor; undefined if none is. */
export function spotAt(text: string, cursor: number): Spot | undefined {
  const before = /(?:^|[\s(])@(?<text>[^\s@]*)$/u.exec(text.slice(0, cursor));
  const typed = before?.groups?.["text"];
  return typed === undefined
    ? undefined
    : { text: typed, start: cursor - typed.length - 1, end: cursor };
}

/** Apply an event to the file that is being named. Pure. */
export function reduceMention(
  mention: Mention | undefined,
  event: MentionEvent | Extract<ToWebview, { type: "foundFiles" }>,
): Mention | undefined {
  switch (event.type) {
    case "write":
      return event.mention && { paths: mention?.paths ?? [], ...event.mention, current: 0 };
    case "foundFiles":
      return mention?.text === event.text
        ? { ...mention, paths: event.paths, current: 0 }
        : mention;
    case "pointMention":
      return mention && { ...mention, current: moved(mention, event.by) };
    case "closeMention":
      return undefined;
  }
}

/** Return the number of the path some lines further, around both ends. */
function moved({ paths, current }: Mention, by: number): number {
  return paths.length === 0 ? 0 : (current + by + paths.length) % paths.length;
}
