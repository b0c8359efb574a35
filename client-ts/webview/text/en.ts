import type { Action } from "../../src/panel/messages.js";
import type { SetupStep } from "../../src/client/state.js";
import type { ServiceState } from "../../src/service/service.js";
import { counted } from "../../src/l10n/format.js";

// The texts of the page that are its own, in English. Those about runs and questions are shared: see src/text
// and src/questions.

export const SERVICE: Readonly<Record<ServiceState["kind"], string>> = {
  idle: "The sidecar is not running.",
  running: "",
  settingUp: "Setting up the sidecar…",
  starting: "Starting the sidecar…",
  restarting: "Restarting the sidecar…",
  failed: "Subagents couldn't start.",
  untrusted: "Restricted Mode: you can view subagents but not launch them.",
};

/** The steps of setup before and after the one that is under way, which has a sentence. */
export const STEPS: Readonly<Record<SetupStep, string>> = {
  python: "Find Python",
  environment: "Create a private Python environment",
  download: "Download packages",
  install: "Install packages",
};

export const ACTIONS = {
  showLog: "Show Log",
  repair: "Reinstall",
  restart: "Try Again",
  selectPython: "Select Python…",
  manageTrust: "Manage Workspace Trust",
  openRunnerSettings: "Open Runner Settings",
  changeLimit: "Change Limit",
  startNow: "Start Now",
  openTranscript: "Open Transcript",
  cancelSetup: "Cancel",
  runExample: "Run an Example",
  createDefinition: "New Subagent Definition…",
  signIn: "Sign In…",
} as const satisfies Partial<Record<Action, string>>;

export const HOME = {
  label: "Subagents",
  list: "Conversations",
  empty: "No conversations yet",
  emptyHint:
    "Write a goal below and launch a subagent. It works in the background, and you can watch it here.",
  untrusted: "Workspace subagents are disabled",
  untrustedHint: "Trust this workspace to load its subagent definitions.",
  noDefinitions: "No subagents yet",
  goalWaits: "Add a subagent to launch your goal.",
  exampleHint:
    "See one in action. It takes ten seconds and needs no key, no network and none of your files.",
  installedHint: (count: number) =>
    count === 1
      ? "This agent is installed. It asks before it acts."
      : "These agents are installed. Each asks before it acts.",
  use: (agent: string, isIncomplete: boolean) => `Use ${agent}${isIncomplete ? "…" : ""}`,
  ownGoals: "The example only follows its script. For goals of your own, use an installed agent:",
  noAgents:
    "The example only follows its script. For goals of your own, install an agent, such as Claude Code, Codex or opencode.",
  definitionHint: "To add your own, write a Markdown file that says what it does.",
  problems: (count: number) => `${counted(count, "problem")} in definitions`,
  open: (path: string) => `Open ${path}`,
  shadowed: (name: string, by: string) => `“${name}” is hidden by ${by}`,
};

export const LIST = {
  label: "Agents",
  groups: {
    needsYou: "Needs You",
    running: "Running",
    queued: "Queued",
    pinned: "Pinned",
    recent: "Recent",
    today: "Today",
    yesterday: "Yesterday",
    week: "This Week",
    older: "Older",
  },
  sortedBy: {
    recent: "History",
    cost: "History by Cost",
    duration: "History by Duration",
    messages: "History by Messages",
    title: "History by Title",
  },
  count: (count: number, isPartial: boolean) =>
    `${count.toLocaleString("en-US")}${isPartial ? "+" : ""}`,
  groupLabel: (name: string, count: number, isPartial: boolean) =>
    `${name}, ${isPartial ? `${count.toLocaleString("en-US")}+ tasks` : counted(count, "task")}`,
  asks: (what: string) => `Asks: ${what}`,
  from: (where: string) => `from ${where}`,
  continued: "continued",
  untitled: "(untitled)",
  answer: "Answer",
  cancel: "Cancel",
  startNow: "Start Now",
  review: "Review Changes",
  resume: "Continue",
  delete: "Delete",
  pin: "Pin",
  unpin: "Unpin",
  pinned: "pinned",
  tag: (name: string) => `#${name}`,
  actOn: (action: string, title: string) => `${action}: ${title}`,
  matching: (count: number, totals: string) =>
    [counted(count, "task"), totals].filter((part) => part !== "").join(" · "),
  clearFilter: "Clear Filter",
  due: (count: number, days: number) =>
    `${counted(count, "session")} will be deleted within ${counted(days, "day")}`,
  dueHint:
    "Their agent deletes old sessions. Kept copies stay in this list, and you can search and export them.",
  keepCopies: "Keep Copies",
  hideToday: "Hide for Today",
  noMatch: "No task matches.",
  none: "Nothing here yet. Runs and tasks of other agents appear here.",
  noneHere: "Nothing in this workspace yet.",
  searchAll: "Search all workspaces",
  showAll: (count: number) => `Show ${counted(count, "task")} of other workspaces`,
};

export const COMPOSER = {
  label: "Launch a subagent",
  goal: "Goal",
  placeholder: "What should the subagent do? Type @ to name a file.",
  placeholderCommands: "What should the subagent do? Type @ for files, / for commands.",
  subagent: "Subagent",
  choose: "Select, edit or add a subagent",
  unavailable: "not available",
  unavailableHint: (why: string) => `Not available: ${why}.`,
  launch: "Launch",
  launchSeveral: (count: number) => `Launch ${count}`,
  launching: "Launching…",
  launchHint: "Launch (Enter; Shift+Enter starts a new line)",
  keys: "Press Enter to launch, Shift+Enter for a new line.",
  onlyExample: "The example only follows its script and can't work on your goal. Use a real agent.",
  approval: (line: string) => `${line}: select Approve… in the list of subagents.`,
  starting: "The sidecar is still starting. Try again in a moment.",
  noSubagent: "Select a subagent first.",
  notLaunched: (goal: string, why: string) => `${why}\nThis goal was not launched: “${goal}”`,
  noGoal: "Write what the subagent should do.",
  noNext: "Write what comes next at the end of the goal.",
  queue: "Add to Queue",
  files: "Files",
  commands: "Commands",
  add: "Launch another subagent too",
  others: "Other subagents with this goal",
  attach: "Attach…",
  attachHint:
    "Attach files or images. You can also paste an image, or drop files with Shift held down.",
  attachments: "Attached files",
  detach: (name: string) => `Remove ${name}`,
  tooLarge: (name: string) => `${name} is larger than 10 MiB. Attach a smaller version.`,
  unreadable: "Can't read this. Attach files, not folders.",
  leaveOut: (name: string) => `Don't launch ${name}`,
  choices: "Launch options",
  choice: {
    model: { label: "Model", byAgent: "Default model" },
    mode: { label: "Mode", byAgent: "Default mode" },
    effort: { label: "Effort", byAgent: "Default effort" },
    placement: { label: "Placement", byAgent: "This machine" },
  },
  here: "This machine",
  onFleet: "Cluster",
  onNode: (name: string) => `Node ${name}`,
  withLabel: (label: string) => `Cluster: ${label}`,
  freeSlots: (free: number, slots: number) =>
    `Cluster: ${free.toLocaleString("en-US")} of ${counted(slots, "slot")} free.`,
  fleetProblem: (why: string) => `Can't use the cluster: ${why}.`,
  byDefinition: (value: string) => `${value} (default)`,
  unasking: "Acts without asking; needs the policy allowAll",
  notOffered: (value: string) => `${value} (not offered)`,
  /** Those on a cluster work in copies of their own. */
  together: (count: number, sharing: number) =>
    sharing < 2
      ? `Launches ${counted(count, "subagent")}.`
      : `Launches ${counted(count, "subagent")}${count === sharing ? "" : `, ${sharing} of them`} in the same folder. If several edit the same file, one may overwrite another's changes.`,
};

export const CONVERSATION = {
  title: "Conversation",
  back: "Back to all conversations",
  goal: "Goal",
  cancel: "Cancel",
  cancelling: "Cancelling…",
  continued: "Continued from",
  earlierRun: "an earlier run",
  sameSession: "(same session)",
  replayed: "(new session, history replayed)",
  earlier: "Show Earlier",
  later: "Show Later",
  loading: "Loading…",
  latest: "Jump to Latest",
  deleted: "This subagent was deleted.",
  deletedTask: "This task was deleted.",
  asking: "Needs your answer",
  asks: (what: string) => `Needs your answer: ${what}`,
  working: "Working…",
  tool: (name: string) => `Running ${name}…`,
  silent: (time: string) => `no output for ${time}`,
  queued: "Queued",
  launchedFrom: (where: string) => `from ${where}`,
  queuedBehind: (running: number, limit: number) => `Queued: ${running} of ${limit} are running`,
  held: (why: string, time: string) => `Queued: ${why}. It starts after ${time}.`,
  heldBehind: (why: string) => `Queued: ${why}. Another subagent tries first.`,
  heldByCluster: (why: string) => `Queued: ${why}.`,
  thought: "Thought",
  you: "You: ",
};

export const ENDING = {
  label: "End of the run",
  allLines: (count: number) => `All ${counted(count, "line")}`,
  error: "Full error",
  result: "Result",
  files: "Files touched",
  changes: (files: number) => `${counted(files, "file")} changed`,
  viewAll: "View All Changes",
  viewChange: (path: string) => `View the changes of ${path}`,
  deletedFile: "deleted",
  moreFiles: (count: number) => `and ${counted(count, "more file")}`,
  broughtBack: (ref: string) =>
    `Your files are unchanged. To apply the changes, run \`git merge ${ref}\` in the repository.`,
  more: "More Actions",
  continueWith: "Continue With…",
  /** The state of a stored task, one sentence for each word of its row. */
  stored: {
    active: "This task is unfinished.",
    completed: "This task was completed.",
    failed: "This task failed.",
    abandoned: "This task was abandoned.",
    unknown: "The task's files don't say how it ended.",
  },
  outcomes: {
    waiting: "This task is waiting for an answer.",
    cancelled: "This task was cancelled.",
    streaming: "This task is unfinished.",
    delegated: "This task is waiting for another one that it started.",
    interrupted: "This task was interrupted.",
  } as Partial<Record<string, string>>,
  resume: "Continue…",
  again: "Launch Again…",
  useAgent: "Launch with a Real Agent…",
  /** What to do if the agent needs a sign-in; the second if no command is known. */
  signIn: (agent: string) => `Sign in to ${agent}, then retry.`,
  signInElsewhere: (agent: string) =>
    `Sign in to ${agent} with its own program, or set its key in the settings, then retry.`,
  retry: "Retry",
  tokens: (count: string) => `${count} tokens`,
  toolCalls: (count: number) => counted(count, "tool call"),
  context: (percent: number) => `context ${percent}% full`,
};

/** The goal that continues a stored task with another agent. */
export const CONTINUATION = {
  /** The first words, which become the title of the run. No command of an agent begins like this. */
  goal: (goal: string) => `Continue: ${goal}`,
  origin: "Another agent started this task.",
  completed: "Another agent completed this task.",
  files: (names: readonly string[]) =>
    `It changed these files:\n${names.map((name) => `- ${name}`).join("\n")}`,
  last: (text: string) => `Its last message was:\n${text}`,
  next: "Check the current state of the files first, then finish what is left.",
  /** The user writes what comes next, behind these. */
  answer: "Check the current state of the files first. The answer to this message is: ",
  more: "Check the current state of the files first, then continue with this: ",
};

export const OUTPUT = {
  variables: (count: number) => counted(count, "variable"),
  newestVariables: (count: number) => `Only the newest ${String(count)} are shown.`,
  errors: "Error output",
  errorLines: (count: number) => `Error output, ${counted(count, "line")}`,
  cut: "Only the end is shown. The transcript has all of it.",
};

export const MINIMAP = {
  label: "Turns",
  kinds: { plain: "", user: "your message", failure: "failure", question: "question" },
  turn: (number: number, all: number, kind: string, text: string) =>
    [`Turn ${number.toLocaleString("en-US")} of ${all.toLocaleString("en-US")}`, kind, text]
      .filter((part) => part !== "")
      .join(" · "),
};

export const FIND = {
  label: "Find in this conversation",
  field: "Find",
  keys: "Enter goes to the next match, Shift+Enter to the previous one, Escape closes.",
  next: "Next Match (Enter)",
  previous: "Previous Match (Shift+Enter)",
  close: "Close (Escape)",
  none: "No results",
  searching: "Searching…",
  count: (at: number | undefined, all: number, isPartial: boolean) =>
    `${at === undefined ? "?" : at.toLocaleString("en-US")} of ${all.toLocaleString("en-US")}${isPartial ? "+" : ""}`,
  around: (words: string) => `: ${words}`,
};

export const MESSAGE = {
  send: "Send",
  sendLabel: "Send a message…",
  sendHint: "Arrives at once if the agent supports it, or else when its turn ends.",
  resume: "Continue",
  resuming: "Continuing…",
  resumeLabel: "What next? (optional)",
  resumeHint: "The agent continues in a new run with this conversation as context.",
  keys: (button: string) => `${button} (Enter; Shift+Enter starts a new line)`,
  discard: "Discard",
  sendAgain: "Send Again…",
  undelivered: "Not delivered yet",
  missed: "Not delivered: the run ended first.",
  sending: "Sending…",
  sent: (delivery: string) => `Sent. ${delivery}`,
};

export const PLAN = {
  label: "Plan",
  summary: (done: number, all: number) => `Plan: ${done} of ${all} done`,
  pending: "to do",
  current: "in progress",
  done: "done",
};

export const QUESTION = {
  folder: "in",
  title: "The agent says:",
  /** The default key of the command that answers. */
  key: "Ctrl+K Y",
  macKey: "⌘K Y",
  keyHint: "Answers a question from anywhere",
  answer: (name: string) => `The agent calls this answer “${name}”`,
  byPolicy: (verdict: string) => `${verdict} by the permissions of this subagent`,
  byMemory: (verdict: string) => `${verdict} by a permission you saved`,
  allowed: "Allowed",
  rejected: "Rejected",
  dismissed: "Dismissed",
};

export const FORM = {
  send: "Send Answer",
  open: "Open in Browser",
  decline: "Decline",
  declineHint: "Continue without an answer",
  addressHint: "The agent asks you to open this address. Open it only if you trust it.",
  optional: "(optional)",
  noChoice: "No answer",
  clear: "Clear",
  yes: "Yes",
  no: "No",
  answered: "Answered",
  opened: "Opened the address",
  declined: "Declined",
  dismissed: "Dismissed",
  withdrawn: "The agent withdrew its question",
};

export const TOOL = {
  input: "Input",
  output: "Output",
  running: "running",
  asking: "waiting",
  stopped: "did not finish",
  done: "done",
  failed: "failed",
  allowed: "allowed",
  rejected: "rejected",
  line: (line: number) => `line ${line}`,
  more: (count: number) => `and ${count} more`,
  error: "Error:",
  waited: (time: string) => `Waited ${time} for an answer`,
};

export const DIFF = {
  counts: (added: number, removed: number) => `${counted(added, "line")} added, ${removed} removed`,
  open: "Open Diff",
  openOf: (path: string) => `Open Diff of ${path}`,
  lines: (path: string) => `Changed lines of ${path}`,
  more: (count: number) => `${counted(count, "more line")}: open the diff.`,
};

export const cutNote = (missing: number): string => `… (${counted(missing, "more character")})`;

export const MARKDOWN = {
  openFile: (path: string) => `Open ${path}`,
  image: "image",
  copy: "Copy",
  copyLabel: "Copy the code",
  apply: "Apply",
  applyLabel: "Apply the code to its file, without saving it",
  insert: "Insert at Cursor",
  insertLabel: "Insert the code at the cursor",
  open: "to do",
  done: "done",
};
