import type { AttachRequest, ToWebview } from "../../../src/panel/messages.js";

/** What the user does with the files of the next launch. */
export type AttachEvent =
  /** Attach what was dropped or pasted; without anything, choose files. */
  | ({ readonly type: "attach" } & AttachRequest)
  | { readonly type: "detach"; readonly path: string };

/** Return the attached files after one was removed or some were added, each once. */
export function attachedAfter(
  files: readonly string[],
  event: Extract<AttachEvent | ToWebview, { type: "attached" | "detach" }>,
): readonly string[] {
  return event.type === "detach"
    ? files.filter((each) => each !== event.path)
    : [...new Set([...files, ...event.paths])];
}
