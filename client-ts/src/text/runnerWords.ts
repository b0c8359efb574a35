import type { RunnerInfo, SubagentInfo } from "../protocol.js";
import * as strings from "./strings.js";

/** Return why runners that definitions name cannot be started now, by the names of the runners. */
export function missingRunners(
  definitions: readonly Pick<SubagentInfo, "runner" | "unavailable">[],
): Record<string, string> {
  return Object.fromEntries(
    definitions.flatMap(({ runner, unavailable }) =>
      unavailable === undefined ? [] : [[runner, missingWords(unavailable)]],
    ),
  );
}

/** Return why a runner cannot be started now, and what to do; undefined if it can. */
export function whyMissing({ available, reason }: RunnerInfo): string | undefined {
  return available ? undefined : missingWords(reason ?? strings.runs.unavailable);
}

function missingWords(reason: string): string {
  const program = programIn(reason);
  return program === undefined ? reason : strings.runs.programMissing(program);
}

/** Return the program that a runner's reason names as missing. */
export function programIn(reason: string): string | undefined {
  return /program (?<quote>['"])(?<program>.+?)\k<quote> is not found/u.exec(reason)?.groups?.[
    "program"
  ];
}
