import { ErrorCode } from "../protocol.js";
import { isRefusal, messageOf, type Refusal } from "../util/errors.js";
import { outcome } from "../text/outcomeStrings.js";
import * as strings from "../text/strings.js";
import { capitalized } from "../text/words.js";

/** Explain an error to a person: the sidecar names a run or a task by its ID, which nobody knows by heart. */
export function refusalWords(error: unknown): string {
  if (isRefusal(error, ErrorCode.TaskNotFound)) {
    return goneWords(error);
  }
  if (isRefusal(error, ErrorCode.InvalidState)) {
    return stateWords(error);
  }
  if (isRefusal(error, ErrorCode.AmbiguousTaskId)) {
    return strings.history.severalMatch;
  }
  if (isRefusal(error, ErrorCode.ReadOnlyStore)) {
    return strings.history.onlyRead;
  }
  return isRefusal(error, ErrorCode.StorageError) ? storageWords(error) : messageOf(error);
}

/** A stopped run keeps its ID in the sidecar's words; the other ones name files. */
function storageWords({ message }: Refusal): string {
  const stopped = /^task \S+ is stopped, but its end cannot be recorded yet: (?<reason>.*)/su;
  const reason = stopped.exec(message)?.groups?.["reason"];
  return reason === undefined ? message : strings.runs.endNotRecorded(reason);
}

/** Say that it is gone, and which places could not be searched for it. */
function goneWords({ message }: Refusal): string {
  const unsearched = /'(?<rest>\. .* cannot be searched.*)$/su.exec(message)?.groups?.["rest"];
  const isRun = /async task/u.test(message);
  return isRun ? strings.runs.deleted : strings.history.gone.replace(/\.$/u, unsearched ?? ".");
}

function stateWords({ message, data }: Refusal): string {
  const { taskId, status } = (data ?? {}) as Readonly<Record<string, unknown>>;
  const reason = /cannot receive messages: (?<reason>.*)/su.exec(message)?.groups?.["reason"];
  if (status === "running" && reason !== undefined) {
    return strings.runs.notTaken(reason);
  }
  const own = `task ${String(taskId)}: `; // what follows is the run's own reason
  if (message.startsWith(own)) {
    return capitalized(message.slice(own.length));
  }
  const word = typeof status === "string" ? STATUS_WORDS[status] : undefined;
  return word === undefined ? message : strings.runs.changedMeanwhile(word);
}

const STATUS_WORDS: Readonly<Record<string, string>> = outcome.status;
