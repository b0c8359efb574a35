import { counted } from "../format.js";

export const questions = {
  doings: {
    execute: ["run", "Run this command?"],
    edit: ["edit", "Make this edit?"],
    delete: ["delete", "Delete this?"],
    move: ["move", "Move this?"],
    read: ["read", "Read this?"],
    search: ["search", "Search here?"],
    fetch: ["fetch", "Fetch this address?"],
  } as Partial<Record<string, readonly [verb: string, heading: string]>>,
  allowThis: "Allow this?",
  line: (name: string, verb: string | undefined, folder: string | undefined, what: string) =>
    `${name} ${verb === undefined ? "asks" : `wants to ${verb}`}${folder === undefined ? "" : ` in ${folder}`}: ${what}`,
  allowOnce: "Allow Once",
  reject: "Reject",
  allowAlways: (scope: string) => `Always Allow ${scope}`,
  rejectAlways: (scope: string) => `Always Reject ${scope}`,
  /** What an "always" covers; the English words are those of the sidecar. */
  scopes: {
    edits: (files: string) => `edits to ${files}`,
    deletions: (files: string) => `deleting ${files}`,
    moves: (files: string) => `moving ${files}`,
    requests: (address: string) => `requests to ${address}`,
    call: (what: string) => `this exact call of ${what}`,
    command: (command: string) => `${command} in this workspace`,
    reads: "reads in this workspace",
    searches: "searches in this workspace",
  },
  answer: (name: string) => `Answer ${name}`,
  allowed: "Allowed",
  rejected: "Rejected",
  alwaysAllowed: (scope: string) => `Always allowed: ${scope}`,
  alwaysRejected: (scope: string) => `Always rejected: ${scope}`,
  select: "Select a question",
  selectAnswer: "Select an answer",
  seeAll: "Show the conversation to see the whole request and to allow it",
  showConversation: "Show Conversation",
  none: "No subagent is waiting for an answer.",
  noPermissions: "No remembered permissions.",
  permissions: "Remembered Permissions",
  selectToForget: "Select permissions to forget. You'll be asked again next time.",
  forgot: (count: number) => `Forgot ${counted(count, "permission")}.`,
  permission: (isAllowed: boolean, what: string) =>
    `Always ${isAllowed ? "allow" : "reject"}: ${what}`,
  every: (toolKind: string) => `every ${toolKind}`,
  ofWorkspace: (name: string) => `${name} of this workspace`,
  notUsed: "from an earlier version, not used",
};

/** Permission requests and other questions of agents, and the answers to them. */
export const forms = {
  enter: "Enter a value.",
  choose: "Choose an answer.",
  notNumber: "Enter a number.",
  notWhole: "Enter a whole number.",
  tooLarge: "Enter a number with fewer digits.",
  atLeast: (least: number) => `Enter ${least} or more.`,
  atMost: (most: number) => `Enter ${most} or less.`,
  tooShort: (least: number) => `Enter at least ${counted(least, "character")}.`,
  tooLong: (most: number) => `Enter at most ${counted(most, "character")}.`,
  fewChoices: (least: number) => `Choose at least ${least}.`,
  manyChoices: (most: number) => `Choose at most ${most}.`,
  mustBe: (what: string) => `Enter ${what}.`,
  formats: {
    email: "an email address",
    uri: "an address, such as https://example.com",
    date: "a date, such as 2026-03-14",
    "date-time": "a date and time, such as 2026-03-14T09:30:00Z",
  },
  number: (isWhole: boolean, least?: number, most?: number) => {
    const kind = isWhole ? "a whole number" : "a number";
    if (least !== undefined && most !== undefined) {
      return `${kind} from ${least} to ${most}`;
    }
    return least !== undefined
      ? `${kind}, at least ${least}`
      : most !== undefined
        ? `${kind}, at most ${most}`
        : kind;
  },
  lengths: (least?: number, most?: number) =>
    least !== undefined && most !== undefined
      ? `${least} to ${counted(most, "character")}`
      : least !== undefined
        ? `at least ${counted(least, "character")}`
        : `at most ${counted(most ?? 0, "character")}`,
  choices: (least = 0, most?: number) =>
    most === undefined
      ? `at least ${counted(least, "choice")}`
      : least === 0
        ? `at most ${counted(most, "choice")}`
        : least === most
          ? counted(most, "choice")
          : `${least} to ${counted(most, "choice")}`,
  notOpened: "The address was not opened, so the question is still open.",
  answered: "This question is no longer open.",
  answer: "Answer…",
  yes: "Yes",
  no: "No",
  asks: (name: string, title: string) => `${name} asks: ${title}`,
};
