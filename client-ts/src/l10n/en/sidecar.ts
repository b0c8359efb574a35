import { counted } from "../format.js";

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
    "Another program that doesn't share its subagents is using this storage. This window is view-only until " +
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

/** What windows on the same storage share. */
export const windows = {
  statusName: "Subagents: Windows",
  shared: (count: number) => `${counted(count, "window")} share these subagents.`,
  otherWindow: (folder: string) => `another window (${folder})`,
  terminal: "a terminal",
  program: (name: string) => `the program ${name}`,
  lastWindow: (minutes: number) =>
    "Subagents keep running when you close this window. What should happen to them when you close the last one? " +
    (minutes < 0
      ? "Those that keep running have no time limit (host.surviveMinutes)."
      : `Those that keep running end after ${counted(minutes, "minute")} (host.surviveMinutes).`),
  keepRunning: "Keep Running",
  stop: "Stop",
  dontAskAgain: "Don't Ask Again",
};

/** Signing in to agents. */
export const signIn = {
  select: "Select an agent to sign in to",
  selectWay: (runner: string) => `Select how to sign in to ${runner}`,
  none: "No installed agent has a sign-in command.",
  noCommand: (runner: string) =>
    `${runner} has no known sign-in command. Sign in with its own program, or set its key in the setting "Runners".`,
  terminal: (runner: string) => `Sign in to ${runner}`,
};
