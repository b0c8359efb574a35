import type { Action } from "../../src/panel/messages.js";
import type { ServiceState } from "../../src/service/service.js";
import { counted } from "../../src/text/format.js";

// The texts of the page that are its own. Those about runs and questions are shared: see src/text
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

export const ACTIONS = {
  showLog: "Show Log",
  repair: "Reinstall",
  restart: "Try Again",
  manageTrust: "Manage Workspace Trust",
  openRunnerSettings: "Open Runner Settings",
  changeLimit: "Change Limit",
  startNow: "Start Now",
  openTranscript: "Open Transcript",
  runExample: "Run an Example",
  createDefinition: "New Subagent Definition…",
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
  exampleHint: "See one in action. The example needs no key and no network.",
  definitionHint: "To add your own, write a Markdown file that says what it does.",
  problems: (count: number) => `${counted(count, "problem")} in definitions`,
  open: (path: string) => `Open ${path}`,
  shadowed: (name: string, by: string) => `“${name}” is hidden by ${by}`,
};

export const COMPOSER = {
  label: "Launch a subagent",
  goal: "Goal",
  placeholder: "What should the subagent do?",
  subagent: "Subagent",
  choose: "Select, edit or add a subagent",
  unavailable: "not available",
  unavailableHint: (why: string) => `Not available: ${why}.`,
  launch: "Launch",
  launching: "Launching…",
  launchHint: "Launch (Enter; Shift+Enter starts a new line)",
  keys: "Press Enter to launch, Shift+Enter for a new line.",
  approval: (line: string) => `${line}: select Approve… in the list of subagents.`,
  starting: "The sidecar is still starting. Try again in a moment.",
  noSubagent: "Select a subagent first.",
  noGoal: "Write what the subagent should do.",
  queue: "Add to Queue",
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
  asking: "Waiting for your answer",
  asks: (what: string) => `Waiting for your answer: ${what}`,
  working: "Working…",
  tool: (name: string) => `Running ${name}…`,
  silent: (time: string) => `no output for ${time}`,
  queued: "Queued",
  launchedFrom: (where: string) => `from ${where}`,
  queuedBehind: (running: number, limit: number) => `Queued: ${running} of ${limit} are running`,
  held: (why: string, time: string) => `Queued: ${why}. It starts after ${time}.`,
  heldBehind: (why: string) => `Queued: ${why}. Another subagent tries first.`,
  thought: "Thought",
  you: "You: ",
};

export const ENDING = {
  label: "End of the run",
  allLines: (count: number) => `All ${counted(count, "line")}`,
  error: "Full error",
  result: "Result",
  files: "Files touched",
  resume: "Resume…",
  again: "Launch Again…",
  tokens: (count: string) => `${count} tokens`,
  toolCalls: (count: number) => counted(count, "tool call"),
  context: (percent: number) => `context ${percent}% full`,
};

export const OUTPUT = {
  variables: (count: number) => counted(count, "variable"),
  errors: "Error output",
  errorLines: (count: number) => `Error output, ${counted(count, "line")}`,
  cut: "Only the end is shown. The transcript has all of it.",
};

export const MESSAGE = {
  send: "Send",
  sendLabel: "Send a message…",
  sendHint: "Delivered when the current turn ends.",
  resume: "Resume",
  resuming: "Resuming…",
  resumeLabel: "What next? (optional)",
  resumeHint: "Continues in a new run with this conversation as context.",
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
  answer: (name: string) => `The agent calls this answer “${name}”`,
  byPolicy: (verdict: string) => `${verdict} by the permissions of this subagent`,
  byMemory: (verdict: string) => `${verdict} by a permission you saved`,
  allowed: "Allowed",
  rejected: "Rejected",
  dismissed: "Dismissed",
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
  more: (count: number) => `and ${count} more`,
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
  open: "to do",
  done: "done",
};
