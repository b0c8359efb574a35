import type { RunRow } from "../../../src/panel/listMessages.js";
import { isLive } from "../../../src/text/outcome.js";

type Member = readonly [run: RunRow, depth: number];
/** A run, and below it those that it launched, each with how many of the family are above it. */
export type Family = readonly [Member, ...Member[]];

/** Divide runs into families, both in the given order. A live run is never below one that has ended. */
export function families(runs: readonly RunRow[]): readonly Family[] {
  const known = new Map(runs.map((run) => [run.id, run]));
  const children = new Map<string | undefined, RunRow[]>();
  for (const run of runs) {
    const parent = run.parent === undefined ? undefined : known.get(run.parent);
    const above = parent && (isLive(parent) || !isLive(run)) ? parent.id : undefined;
    const siblings = children.get(above);
    if (siblings === undefined) {
      children.set(above, [run]);
    } else {
      siblings.push(run);
    }
  }
  const below = (run: RunRow, depth: number): Family => [
    [run, depth],
    ...(children.get(run.id) ?? []).flatMap((child) => below(child, depth + 1)),
  ];
  return (children.get(undefined) ?? []).map((run) => below(run, 0));
}
