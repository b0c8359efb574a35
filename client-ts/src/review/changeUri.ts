import * as vscode from "vscode";

import type { Edit, Spot } from "./runChanges.js";

/** The scheme of the texts of changes. */
export const CHANGES_SCHEME = "subagent-diff";

/** Which text of a change it is. */
export type Side = "before" | "after";

/** A change in a run: a part of one of its events. */
export interface ChangeSpot extends Spot {
  readonly taskId: string;
}

/** A text of a change. With `grows`, the change is all that follows from this one until now. */
export interface ChangePlace extends ChangeSpot {
  readonly side: Side;
  readonly grows?: true;
}

/** Return a URI whose path determines the language and whose query finds the text after a reload. */
export function uriOf({ taskId, seq, index, side, grows }: ChangePlace, path: string): vscode.Uri {
  const query = JSON.stringify({ taskId, seq, index, side, ...(grows && { grows }) });
  return vscode.Uri.from({ scheme: CHANGES_SCHEME, path: vscode.Uri.file(path).path, query });
}

/** Return the text that a URI of `uriOf` names. */
export function placeOf({ query }: vscode.Uri): ChangePlace {
  return JSON.parse(query) as ChangePlace;
}

/** Return the run of a text of a change. */
export function taskOfChange(uri: vscode.Uri): string {
  return placeOf(uri).taskId;
}

/** Return the two texts of a change that may grow. */
export function urisOf(taskId: string, { path, before }: Edit): readonly [vscode.Uri, vscode.Uri] {
  const spot = { taskId, ...before, grows: true } as const;
  return [uriOf({ ...spot, side: "before" }, path), uriOf({ ...spot, side: "after" }, path)];
}
