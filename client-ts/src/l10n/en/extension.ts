// The texts of the extension, grouped by subject. Others are next to this file, in webview/text and in
// package.nls.json; reports/ writes whole documents. Texts with parameters are functions.
import { counted } from "../format.js";

const number = (value: number): string => value.toLocaleString();

export const common = {
  untitled: "(untitled)",
  show: "Show",
  quoted: (text: string) => `“${text}”`,
  tasks: (count: number) => counted(count, "task"),
  shownOf: (shown: number, all: string) => `${number(shown)} of ${all}`,
  andMore: (count: number) => `and ${number(count)} more`,
};

/** The state of the sidecar, from its setup to its end. */
export const sidecar = {
  failed: "Subagents couldn't start.",
  stopped: "The sidecar was stopped.",
  stoppedEarly: "The sidecar was stopped before it started.",
  restartDropped: "The sidecar was stopped, so it isn't restarted.",
  restarting: "Restarting the sidecar…",
  exited: (code: string) => `exited with code ${code}`,
  killed: (signal: string) => `was killed by ${signal}`,
  closedOutput: "closed its output",
  invalidMessage: (reason: string) => `sent an invalid message: ${reason}`,
  noAnswer: (seconds: number) => `did not answer within ${seconds} s`,
  wasStopped: "was stopped",
  notRunning: "not running",
  unavailable: (method: string) => `${method}: the sidecar is not running`,
  connectionLost: (method: string) => `${method}: the connection to the sidecar was lost`,
  crashed: (cause: string, seconds: number) =>
    `The sidecar stopped unexpectedly: it ${cause}. Restarting in ${seconds} s…`,
  gaveUp: (crashes: number, cause: string) =>
    `The sidecar crashed ${crashes === 1 ? "once" : `${crashes} times`} and won't be restarted. Last time it ${cause}.`,
  inUseElsewhere:
    "Another program that doesn't share its subagents uses this storage. This window is view-only until " +
    "the program ends.",
  viewOnly: (reason: string) => `View-only: ${reason.replace(/\.?$/u, ".")}`,
  refused: (reason: string) => `The sidecar refused to start: ${reason}`,
  wrongVersion: (theirs: number, ours: number) =>
    `The sidecar uses protocol version ${theirs}, but the extension uses ${ours}. Update the older one.`,
  noProgram: (program: string, folder: string | undefined) =>
    `Can't start the sidecar: "${program}"${folder === undefined ? "" : ` or the folder "${folder}"`} ` +
    "was not found. Install Python 3.11 or newer, or select an interpreter.",
  noStart: (program: string, reason: string) =>
    `Can't start the sidecar with "${program}": ${reason}`,
  restartToApply: "Restart the sidecar to apply the changed setting.",
  restart: "Restart Sidecar",
  tryAgain: "Try Again",
  reinstall: "Reinstall",
  selectPython: "Select Python…",
  showLog: "Show Log",
  fine: "No problems at startup.",
  stillRunning: (count: number) =>
    count === 1 ? "A subagent is still running." : `${count} subagents are still running.`,
  restartStops: "Restarting the sidecar stops running subagents.",
  stopAndRestart: "Stop and Restart",
  reinstallStops: "Reinstalling the sidecar stops running subagents.",
  stopAndReinstall: "Stop and Reinstall",
  diagnosticsTitle: "Subagent Sidecar diagnostics",
  diagnosticsCopied: "Diagnostics copied.",
  pythonTitle: "Select a Python Interpreter (3.11 or Newer)",
  pythonLabel: "Use This Python",
};

export const statusBar = {
  name: "Subagents",
  with: (text: string) => `Subagents: ${text}`,
  settingUp: "Setting up subagents",
  starting: "starting",
  restricted: "Restricted Mode. Trust the workspace to launch.",
  running: (count: number) => `${count} running`,
  queued: (count: number) => `${count} queued`,
  waiting: (count: number) => `${count} ${count === 1 ? "needs" : "need"} you`,
};

/** The tasks of other agents, at the first start. */
export const discovery = {
  discovered:
    "The history also lists the tasks that other agents, such as Claude Code, Codex and opencode, keep on this machine. " +
    "Their files are only read. The setting subagentSidecar.history.autoDiscover decides.",
  turnOff: "Turn Off",
};

/** Signing in to agents. */
export const signIn = {
  select: "Select an agent to sign in to",
  selectWay: (runner: string) => `Select how to sign in to ${runner}`,
  none: "No installed agent names a command that signs in.",
  noCommand: (runner: string) =>
    `No command that signs in to ${runner} is known. Sign in with its own program, or set its key in the setting "Runners".`,
  terminal: (runner: string) => `Sign in to ${runner}`,
};

/** Sessions that their own product will delete soon. */
export const deletions = {
  due: (count: number, days: number) =>
    `${counted(count, "session")} will be deleted within ${counted(days, "day")}.`,
  kept:
    "Copies of these sessions are kept from now on, before their agent deletes them. " +
    "The setting subagentSidecar.history.keep decides.",
};

/** What windows on the same storage share. */
export const windows = {
  statusName: "Subagents: Windows",
  shared: (count: number) => `${counted(count, "window")} share these subagents.`,
  otherWindow: (folder: string) => `another window (${folder})`,
  terminal: "a terminal",
  program: (name: string) => `the program ${name}`,
  lastWindow:
    "Subagents keep running when you close this window. What should happen to them when you close the last one?",
  keepRunning: "Keep Running",
  stop: "Stop",
  dontAskAgain: "Don't Ask Again",
};

/** Launching, cancelling, opening and resuming runs, and messages to them. */
export const runs = {
  selectToLaunch: "Select a subagent to launch",
  selectToCancel: "Select a subagent to cancel",
  selectToOpen: "Select a subagent to open",
  open: "Open Conversation",
  conversation: "Conversation",
  selectToMessage: "Select a subagent to send a message to",
  selectToResume: "Select a subagent to resume",
  noneRunning: "No subagent is running.",
  noneQueued: "No subagent is queued.",
  selectToStart: "Select a queued subagent to start over the limit",
  stopTitle: "Select the subagents to stop",
  stopOwn: (count: number) => `Stop ${counted(count, "subagent")} of this workspace`,
  stopEvery: (count: number) =>
    `Stop all ${counted(count, "subagent")} of all windows and terminals`,
  stopped: (count: number) => `Stopped ${counted(count, "subagent")}.`,
  noneListening: "No running subagent accepts messages.",
  noneEnded: "No subagent has ended yet.",
  launchTitle: (name: string) => `Launch ${name}`,
  exampleGoal: "Explore this folder and summarize what it contains.",
  goal: "What should it do?",
  noGoal: "Enter a goal.",
  messageTitle: (name: string) => `Send Message to ${name}`,
  message: "Message",
  noMessage: "Enter a message.",
  editMessage: "Edit Message…",
  resumeTitle: (name: string) => `Resume ${name}`,
  whatNext: "What next? (optional)",
  delivered: "Delivered.",
  deliveredLater: "The agent gets it after the current turn.",
  noFolder: "Subagents work in a folder. Open one first.",
  openFolder: "Open Folder…",
  limitReached: (max: number) =>
    `Limit reached: ${max} ${max === 1 ? "subagent" : "subagents"} can run at once.`,
  someLimitReached: "Limit reached: too many subagents are running.",
  noProgram: (name: string, program: string) =>
    `Can't start "${name}": the program ${program} was not found.`,
  programMissing: (program: string) =>
    `the program ${program} was not found; install it, or change the setting "Runners"`,
  unavailable: "it is not available",
  addToQueue: "Add to Queue",
  changeLimit: "Change Limit",
  openRunnerSettings: "Open Runner Settings",
  untrusted:
    "Subagents run programs, so they can't be launched in Restricted Mode. You can still browse the " +
    "task history. Trust the workspace to launch subagents.",
  manageTrust: "Manage Workspace Trust",
  noFile: (file: string) => `${file} doesn't exist or is not in this workspace.`,
  changeTitle: (file: string) => `${file} (change by a subagent)`,
  allChanges: "Changes by a Subagent",
  noChanges: "The agent did not report the lines that it changed.",
  noChange: "This change is not in the run's events.",
  ended: (name: string, status: string, goal: string) => `${name}: ${status} · ${goal}`,
  dontShowAgain: "Don't Show Again",
  several: (ended: number, asking: number) =>
    [
      ...(ended === 0 ? [] : [`${counted(ended, "subagent")} ended`]),
      ...(asking === 0 ? [] : [`${asking} ${asking === 1 ? "needs" : "need"} you`]),
    ].join(" · "),
  badge: (ended: number, waiting: number) =>
    [
      ...(ended === 0 ? [] : [`${counted(ended, "subagent")} ended`]),
      ...(waiting === 0 ? [] : [`${waiting} waiting for you`]),
    ].join(", "),
};

/** The list of runs and stored tasks. */
export const list = {
  sortTitle: "Sort History By",
  current: "current",
  sorts: {
    recent: "Most Recent",
    cost: "Cost",
    duration: "Duration",
    messages: "Number of Messages",
    title: "Title",
  },
};

/** What a person notes about tasks. */
export const marks = {
  findToPin: "Find Task to Pin",
  findToUnpin: "Find Task to Unpin",
  findToRename: "Find Task to Rename",
  findToTag: "Find Task to Tag",
  rename: "Rename Task",
  renamePrompt: "Only this extension shows the name. Leave empty to use the original title.",
  tags: (tasks: string) => `Tags of ${tasks}`,
  tagsPrompt:
    "Words separated by commas, such as release, to-review. The filter finds tag:release.",
  tagsInUse: (known: string) => `Words separated by commas. Also in use: ${known}`,
};

export const definitions = {
  select: "Select a subagent",
  selectToEdit: "Select a definition to edit",
  edit: "Edit Definition",
  create: "New Subagent Definition…",
  approve: "Approve…",
  problems: "problems",
  unavailable: (reason: string) => `Not available: ${reason}`,
  hiddenBy: (other: string) => `Hidden by ${other}`,
  permissions: (policy: string) => `permissions: ${policy}`,
  tools: (names: readonly string[]) => `tools: ${names.length === 0 ? "none" : names.join(", ")}`,
  hidesOwn: "hides your own definition",
  needsApproval: (policy: string) => `Its policy ${policy} needs your approval`,
  noApproval: (name: string) => `The definition ${name} doesn't need approval.`,
  approveQuestion: (policy: string, name: string) => `Approve the policy ${policy} of ${name}?`,
  file: (path: string) => `File: ${path}`,
  hides: (other: string) => `Hides: ${other}`,
  approveAdvice: "Read the file first. Your approval applies until the file changes.",
  approveButton: "Approve",
  approved: (name: string) => `Approved the policy of ${name}.`,
  gone: (file: string) => `${file} is no longer a subagent definition.`,
  none: "No subagent definitions found. Create one: a Markdown file that describes a subagent.",
  runExample: "Run an Example",
  step: (step: number, name?: string) =>
    `New Subagent Definition (${step} of 4)${name === undefined ? "" : `: ${name}`}`,
  namePrompt: "Name of the subagent, such as reviewer",
  badName: "Use 1 to 64 letters, digits, “-”, “_” or “.”, starting with a letter or digit.",
  nameTaken: (name: string) => `A subagent named “${name}” already exists.`,
  descriptionPrompt: "One-sentence description, shown in lists and used by the model to choose it",
  noDescription: "Enter a description.",
  folderPrompt: "Where to save the definition",
  workspace: "Workspace",
  user: "User",
  allWorkspaces: "all workspaces",
  runnerPrompt: "Select the runner that executes the subagent",
  autoRunner: (found: string | undefined) =>
    `the first known agent that is installed (${found === undefined ? "currently none" : `currently ${found}`})`,
  fileExists: (file: string) => `${file} already exists. Edit it, or use another name.`,
};

/** Permission requests and other questions of agents, and the answers to them. */
export const forms = {
  enter: "Enter a value.",
  choose: "Choose an answer.",
  notNumber: "Enter a number.",
  notWhole: "Enter a whole number.",
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
  notOpened: "The address was not opened, so the question is still open.",
  answer: "Answer…",
  yes: "Yes",
  no: "No",
  asks: (name: string, title: string) => `${name} asks: ${title}`,
};

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

/** Stored tasks: the tree, search, export, housekeeping and transcripts. */
export const history = {
  findToOpen: "Find Task to Open",
  findToCopy: "Find Task to Copy Its ID",
  findToExport: "Find Task to Export",
  findToArchive: "Find Task to Archive (This Extension's Tasks)",
  findToDelete: "Find Task to Delete (This Extension's Tasks)",
  noOwn: "This extension has no stored tasks yet. Tasks of other extensions are read-only.",
  copied: (id: string) => `Copied ${id}`,
  search: "Search Task History",
  searchPlaceholder: "Words, an ID, or fields such as status:failed cost>1 since:7d",
  useAsFilter: "Use as Task History Filter",
  help: "Query Language Help",
  filter: "Filter Task History",
  filterPrompt:
    "Words, or fields such as status:failed cost>1 since:7d. Leave empty to show all tasks.",
  filtered: (query: string) => `Filter: ${query}`,
  match: (count: number) => `${counted(count, "task")} ${count === 1 ? "matches" : "match"}`,
  problem: (place: number, expected: string) => `At character ${place}: expected ${expected}`,
  messagesShown: (count: number) => `${counted(count, "message")} shown`,
  messagesUnread: (count: number) => `still reading the messages of ${counted(count, "task")}`,
  loadMore: "Load more tasks",
  shown: (shown: string) => `${shown} shown`,
  running: "running",
  openTranscript: "Open Transcript",
  costOf: (cost: string, tasks: number) => `${cost} in ${counted(tasks, "task")}`,
  tokens: (count: string) => `${count} tokens`,
  touchedTitle: (file: string) => `Tasks That Touched ${file}`,
  searchingMessages: "Searching the messages of all tasks…",
  newestFirst: (count: number) => `${counted(count, "task")}, most recent first`,
  noneTouched: "No stored task touched this file",
  widen: (path: string) => `Search for ${path} in other folders too`,
  selectFile:
    "Open a file on disk, or select one in the Explorer, to see the tasks that touched it.",
  foreign: "it belongs to another extension",
  moveToTrash: "Move to Trash",
  deleteOne: (task: string) => `Delete the task ${task}?`,
  deleteMany: (tasks: string) => `Delete ${tasks}?`,
  trashOne: "It moves to the trash. You can restore it from there.",
  trashMany: "They move to the trash. You can restore them from there.",
  deleted: (tasks: string) => `Deleted ${tasks}.`,
  archived: (tasks: string) => `Archived ${tasks}.`,
  notDeleted: (tasks: string) => `Not deleted: ${tasks}`,
  notArchived: (tasks: string) => `Not archived: ${tasks}`,
  undo: "Undo",
  nothingRemoved: "The archive and the trash are empty.",
  selectToRestore: "Select a task to restore",
  newestOf: (shown: number, all: number) => ` (newest ${shown} of ${all})`,
  inTrash: (when: string) => `deleted ${when}`,
  inArchive: "archived",
  gone: "This task is no longer in the history.",
  /** Kinds of messages in a transcript. */
  kinds: {
    request: "usage",
    completion: "result",
    command_output: "command output",
    tool_result: "tool result",
    "ask:completion_result": "completed",
    "ask:api_req_failed": "request failed",
  } as Partial<Record<string, string>>,
  noTranscript: (reason: string) => `Can't show this transcript: ${reason}`,
  noReport: (reason: string) => `Can't create this report: ${reason}`,
  unknownReport: (name: string) => `There is no report named ${name}.`,
  asSent: (name: string) => `${name} (as sent to the model)`,
  tooLong: (left: number) => `… and ${number(left)} more messages, too long to show here.`,
};

export const exporting = {
  title: (tasks: string) => `Export ${tasks}`,
  saveTitle: "Export Task",
  folderTitle: "Export Tasks to a Folder",
  here: "Export Here",
  markdown: "Markdown",
  readable: "For reading",
  processable: "For processing by programs",
  redacted:
    "Replaces likely keys, passwords, home folders and user names. Check the result before you share it",
  redactedName: (format: string) => `${format}, Redacted`,
  busy: (tasks: string) => `Exporting ${tasks}`,
  nothing: (reasons: string) => `Nothing was exported. ${reasons}`,
  done: (tasks: string, place: string) => `Exported ${tasks} to ${place}.`,
  failed: (reasons: string) => `Not exported: ${reasons}`,
  open: "Open",
  totalsTitle: "Export Usage Totals",
  totalsDone: (place: string) => `Exported the usage totals to ${place}.`,
  nothingRedacted: "Redaction found nothing to replace.",
  replaced: (kinds: string) => `Replaced: ${kinds}.`,
};

/** The titles of reports, which also name their documents. */
export const reports = {
  totals: "Usage Totals",
  diagnosis: "Task History Diagnosis",
  queryHelp: "Query Language Help",
  fleet: "Fleet Status",
} as const;

/** The names of facts in tooltips and at the head of transcripts. */
export const facts = {
  asks: "Asks",
  changes: "Changes",
  cost: "Cost",
  created: "Created",
  duration: "Duration",
  ended: "Ended",
  error: "Error",
  folder: "Folder",
  id: "ID",
  lastActivity: "Last activity",
  launched: "Launched",
  launchedFrom: "Launched from",
  messages: "Messages",
  mode: "Mode",
  model: "Model",
  problems: "Problems",
  product: "Product",
  root: "Root",
  status: "Status",
  subagent: "Subagent",
  tokens: "Tokens",
  toolCalls: "Tool calls",
};
