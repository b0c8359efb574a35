import { programIn } from "./launchProblem.js";
import type { RunnerInfo } from "../protocol.js";
import * as strings from "./strings.js";

/** Return why runners cannot be started now, by their names. */
export function missingRunners(runners: readonly RunnerInfo[]): Record<string, string> {
  return Object.fromEntries(
    runners
      .filter(({ available }) => !available)
      .map(({ name, reason = strings.runs.unavailable }) => [name, missingWords(reason)]),
  );
}

function missingWords(reason: string): string {
  const program = programIn(reason);
  return program === undefined ? reason : strings.runs.programMissing(program);
}
