import { expect, test } from "vitest";

import { ErrorCode } from "../../../src/protocol.js";
import { launchProblem } from "../../../src/refusals/launchProblem.js";
import { refusalWords } from "../../../src/refusals/refusalWords.js";

const ID = "0192f3c4-7d1e";

function refusal(code: ErrorCode, message: string, status?: string): Error {
  return Object.assign(new Error(message), { code, data: { taskId: ID, status } });
}

test.each([
  [ErrorCode.TaskNotFound, `no async task has the ID or prefix '${ID}'`, undefined],
  [ErrorCode.TaskNotFound, `no stored task has the ID or prefix '${ID}'`, undefined],
  [ErrorCode.InvalidState, `task ${ID} cannot receive messages: it is completed`, "completed"],
  [ErrorCode.InvalidState, `task ${ID} cannot receive messages: the agent is busy`, "running"],
  [ErrorCode.InvalidState, `task ${ID} is running: only an ended task can be resumed`, "running"],
  [ErrorCode.InvalidState, `task ${ID}: the record cannot be read`, "failed"],
  [
    ErrorCode.AmbiguousTaskId,
    `2 tasks have an ID that starts with '${ID}'; use a longer`,
    undefined,
  ],
  [ErrorCode.ReadOnlyStore, `${ID} is in /store, which belongs to another program`, undefined],
  [
    ErrorCode.StorageError,
    `task ${ID} is stopped, but its end cannot be recorded yet: the disk is full`,
    undefined,
  ],
])("a refusal (%i, %s) is explained without the ID", (code, message, status) => {
  const words = refusalWords(refusal(code, message, status));
  expect(words).not.toContain(ID);
  expect(words).toMatch(/^[A-Z]/u);
  expect(launchProblem(refusal(code, message, status)).message).toBe(words);
});

test("a refusal says what has changed, and what the agent or the run says", () => {
  const explained = (text: string, status: string) =>
    refusalWords(refusal(ErrorCode.InvalidState, `task ${ID}${text}`, status));
  expect(explained(" is running: only a queued task can be started now", "running")).toBe(
    "This is no longer possible. Status of the subagent: Running",
  );
  expect(explained(" cannot receive messages: the agent is busy", "running")).toBe(
    "The agent did not take the message: the agent is busy",
  );
  expect(explained(": the record cannot be read", "failed")).toBe("The record cannot be read");
});

test("a task that is gone is reported with the places that could not be searched for it", () => {
  const message = `no stored task has the ID or prefix '${ID}'`;
  const unread = `${message}. /store/a cannot be searched: it is damaged; restore it`;
  expect(refusalWords(refusal(ErrorCode.TaskNotFound, message))).toBe(
    "This task is no longer in the history.",
  );
  expect(refusalWords(refusal(ErrorCode.TaskNotFound, unread))).toBe(
    "This task is no longer in the history. /store/a cannot be searched: it is damaged; restore it",
  );
});

test("other errors keep their message", () => {
  expect(refusalWords(refusal(ErrorCode.StorageError, "the disk is full"))).toBe(
    "the disk is full",
  );
  expect(refusalWords("text")).toBe("text");
});

test("a launch with attachments that cannot be says what to remove, without the parameter", () => {
  const words = (message: string) =>
    launchProblem(refusal(ErrorCode.InvalidParams, message)).message;
  expect(words("attachments[0]: path '/w/it's gone.md' does not exist")).toBe(
    "/w/it's gone.md does not exist any more. Remove it from the attached files.",
  );
  const command = "attachments: runner 'check' does not support it: a command gets only its prompt";
  expect(words(command)).toMatch(/^This subagent runs a command/u);
  expect(words("attachments: 99 are too many; attach at most 20")).toContain("too many");
});
