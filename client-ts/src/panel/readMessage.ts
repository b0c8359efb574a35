import { readChosen } from "../offers/offers.js";
import type { TaskRef } from "../taskRef.js";
import {
  type Action,
  ACTIONS,
  type AttachRequest,
  type FromWebview,
  type PageSide,
} from "./messages.js";

type Type = FromWebview["type"];
type Fields = Readonly<Record<string, unknown>>;
type Content<T extends Type> = Omit<Extract<FromWebview, { type: T }>, "type">;

/** How to read the content of each message; undefined if it is invalid. */
const READERS: { readonly [T in Type]: (fields: Fields) => Content<T> | undefined } = {
  ready: () => ({}),
  refresh: () => ({}),
  unfollow: () => ({}),
  noted: () => ({}),
  moreHistory: () => ({}),
  tasksInView: ({ tasks }) =>
    Array.isArray(tasks) ? { tasks: tasks.flatMap((each) => taskOf(each).task ?? []) } : undefined,
  connectFleet: () => ({}),
  useAgent: ({ runner }) => (isText(runner) ? { runner } : undefined),
  follow: ({ taskId, afterSeq }) =>
    isText(taskId) && isCount(afterSeq) ? { taskId, afterSeq } : undefined,
  seen: ({ taskId }) => (isText(taskId) ? { taskId } : undefined),
  page: ({ taskId, side, seq }) =>
    isText(taskId) && isSide(side) && isCount(seq) ? { taskId, side, seq } : undefined,
  read: ({ taskId, seq }) => (isText(taskId) && isCount(seq) ? { taskId, seq } : undefined),
  launch: ({ subagentName, goalPrompt, queue, ...options }) =>
    isText(subagentName) && isText(goalPrompt) && typeof queue === "boolean"
      ? { subagentName, goalPrompt, queue, ...launchOptions(options) }
      : undefined,
  attach: ({ uris, contents }) => ({
    ...(isTexts(uris) ? { uris } : {}),
    ...(areContents(contents) ? { contents } : {}),
  }),
  findFiles: ({ text }) => (typeof text === "string" ? { text } : undefined),
  picture: ({ path }) => (isText(path) ? { path } : undefined),
  composeWith: ({ goal, subagentName }) =>
    isText(goal) ? { goal, ...(isText(subagentName) ? { subagentName } : {}) } : undefined,
  cancel: ({ taskId }) => (isText(taskId) ? { taskId } : undefined),
  answer: ({ taskId, requestId, optionId }) =>
    isText(taskId) && isText(requestId) && isText(optionId)
      ? { taskId, requestId, optionId }
      : undefined,
  reply: ({ taskId, requestId, action, content }) =>
    isText(taskId) && isText(requestId) && (action === "accept" || action === "decline")
      ? { taskId, requestId, action, ...(isObject(content) ? { content } : {}) }
      : undefined,
  send: readText,
  forget: readText,
  resume: ({ taskId, text, queue }) =>
    isText(taskId) && typeof queue === "boolean"
      ? { taskId, ...(isText(text) ? { text } : {}), queue }
      : undefined,
  openFile: ({ taskId, path, line }) =>
    isText(taskId) && isText(path) ? { taskId, path, ...lineOf(line) } : undefined,
  openDiff: ({ taskId, seq, index }) =>
    isText(taskId) && isCount(seq) && isCount(index) ? { taskId, seq, index } : undefined,
  openChanges: ({ taskId, path }) =>
    isText(taskId) ? { taskId, ...(isText(path) ? { path } : {}) } : undefined,
  applyCode: ({ taskId, text, file }) =>
    isText(taskId) && isText(text)
      ? { taskId, text, ...(isText(file) ? { file } : {}) }
      : undefined,
  insertCode: ({ text }) => (isText(text) ? { text } : undefined),
  openDefinition: ({ path, line }) => (isText(path) ? { path, ...lineOf(line) } : undefined),
  act: ({ action, task, isAway, toSide }) =>
    isAction(action)
      ? {
          ...{ action, ...taskOf(task) },
          ...(isAway === true ? { isAway } : {}),
          ...(toSide === true ? { toSide } : {}),
        }
      : undefined,
};

/** Validate an untrusted message of the page; undefined if it is invalid. */
export function readMessage(value: unknown): FromWebview | undefined {
  if (!isObject(value)) {
    return undefined;
  }
  const { type } = value;
  if (!isType(type)) {
    return undefined;
  }
  const content = READERS[type](value);
  return content && ({ type, ...content } as FromWebview);
}

function readText({ taskId, text }: Fields) {
  return isText(taskId) && isText(text) ? { taskId, text } : undefined;
}

function launchOptions({ also, chosen, files }: Fields) {
  return {
    ...(isTexts(also) ? { also } : {}),
    ...(isTexts(files) ? { files } : {}),
    ...(chosen === undefined ? {} : { chosen: readChosen(chosen) }),
  };
}

function lineOf(line: unknown): { line?: number } {
  return isCount(line) ? { line } : {};
}

function taskOf(value: unknown): { task?: TaskRef } {
  const { id, root }: Fields = isObject(value) ? value : {};
  return isText(id) ? { task: { id, ...(isText(root) ? { root } : {}) } } : {};
}

function isType(value: unknown): value is Type {
  return typeof value === "string" && Object.hasOwn(READERS, value);
}

function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every(isText);
}

function areContents(value: unknown): value is AttachRequest["contents"] & object {
  return (
    Array.isArray(value) &&
    value.every(
      (each) => isObject(each) && isText(each["name"]) && typeof each["data"] === "string",
    )
  );
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isSide(value: unknown): value is PageSide {
  return value === "before" || value === "after";
}

function isAction(value: unknown): value is Action {
  return (ACTIONS as readonly unknown[]).includes(value);
}
