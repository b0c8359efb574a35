import { isRefusal } from "../util/errors.js";
import { ErrorCode } from "../protocol.js";
import { shortPath } from "../text/places.js";
import { programIn } from "../text/runnerWords.js";
import { refusalWords } from "./refusalWords.js";
import * as strings from "../text/strings.js";

/** Why a launch or a resume was refused, for a person, and what they can do about it. */
export interface LaunchProblem {
  readonly message: string;
  /** Whether the limit was reached, so that the request can be repeated with `queue`. */
  readonly canQueue: boolean;
  /** The setting that fixes it. */
  readonly setting?: "runners" | "maxAsyncTasks";
}

/** Explain an error of a launch or a resume. */
export function launchProblem(error: unknown): LaunchProblem {
  if (isRefusal(error, ErrorCode.LimitReached)) {
    return { message: limitWords(error.data), canQueue: true, setting: "maxAsyncTasks" };
  }
  const message = attachmentWords(error) ?? refusalWords(error);
  if (!isRefusal(error, ErrorCode.LaunchFailed)) {
    return { message, canQueue: false };
  }
  const missing = missingProgram(error.data);
  return missing === undefined
    ? { message, canQueue: false }
    : { message: missing, canQueue: false, setting: "runners" };
}

/** Explain why what was attached cannot be: the sidecar names the parameter, which nobody has seen. */
function attachmentWords(error: unknown): string | undefined {
  const message = error instanceof Error ? error.message : "";
  const gone = /attachments\[\d+\]: path '(?<path>.*)' does not exist/su.exec(message);
  const path = gone?.groups?.["path"];
  if (path !== undefined) {
    return strings.runs.attachmentGone(shortPath(path));
  }
  return /attachments: runner '.*' does not support it: a command /su.test(message)
    ? strings.runs.noAttachments
    : undefined;
}

function limitWords(data: unknown): string {
  const max = memberOf(data, "max");
  return typeof max === "number" ? strings.runs.limitReached(max) : strings.runs.someLimitReached;
}

function missingProgram(data: unknown): string | undefined {
  const [name, reason] = [memberOf(data, "subagentName"), memberOf(data, "reason")];
  const program = typeof reason === "string" ? programIn(reason) : undefined;
  return program === undefined || typeof name !== "string"
    ? undefined
    : strings.runs.noProgram(name, program);
}

function memberOf(data: unknown, name: string): unknown {
  return typeof data === "object" && data !== null
    ? (data as Readonly<Record<string, unknown>>)[name]
    : undefined;
}
