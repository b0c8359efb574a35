import { counted } from "../format.js";

/** Launching, cancelling, opening and resuming runs, and messages to them. */
export const runs = {
  selectToLaunch: "Select a subagent to launch",
  selectToCancel: "Select a subagent to cancel",
  selectToOpen: "Select a subagent to open",
  open: "Open Conversation",
  launched: "The subagent was launched.",
  loading: "Loading…",
  noConversation: "Open a conversation first.",
  goToTime: "Go to Time",
  timeHint: "A time such as 14:05, or words of a turn",
  noTime: "(no time)",
  noTurns: "This conversation has no turns yet.",
  atTime: (time: string) => `At ${time}`,
  selectToMessage: "Select a subagent to send a message to",
  selectToResume: "Select a subagent to continue",
  noneRunning: "No subagent is running.",
  noneQueued: "No subagent is queued.",
  selectToStart: "Select a queued subagent to start despite the limit",
  cancelTitle: "Select the subagents to cancel",
  cancelOwn: (count: number) => `Cancel ${counted(count, "subagent")} of this workspace`,
  cancelEvery: (count: number) =>
    `Cancel all ${counted(count, "subagent")} of all windows and terminals`,
  cancelled: (count: number) => `Cancelled ${counted(count, "subagent")}.`,
  noneListening: "No running subagent accepts messages.",
  noneEnded: "No subagent has ended yet.",
  launchTitle: (name: string) => `Launch ${name}`,
  exampleGoal: "Correct the discount in the totals of the sample project.",
  goal: "What should it do?",
  noGoal: "Enter a goal.",
  messageTitle: (name: string) => `Send Message to ${name}`,
  message: "Message",
  noMessage: "Enter a message.",
  editMessage: "Edit Message…",
  resumeTitle: (name: string) => `Continue ${name}`,
  whatNext: "What next? (optional)",
  delivered: "Delivered.",
  notTaken: (reason: string) => `The agent did not take the message: ${reason}`,
  deleted: "This subagent was deleted.",
  endNotRecorded: (reason: string) =>
    `The subagent is stopped, but its end cannot be saved yet: ${reason}`,
  changedMeanwhile: (status: string) =>
    `This is no longer possible. Status of the subagent: ${status}`,
  deliveredLater: "The agent gets it after the current turn.",
  noFolder: "Subagents work in a folder. Open one first.",
  openFolder: "Open Folder…",
  limitReached: (max: number) =>
    `Limit reached: ${max} ${max === 1 ? "subagent" : "subagents"} can run at once.`,
  someLimitReached: "Limit reached: too many subagents are running.",
  attachmentGone: (path: string) =>
    `${path} does not exist any more. Remove it from the attached files.`,
  noAttachments:
    "This subagent runs a command, which gets only the goal. Remove the attached files, and name their paths in the goal.",
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
  missing: "Conversation",
  noFile: (file: string) => `${file} doesn't exist or is not in this workspace.`,
  noCursor:
    "No file is open to insert the code into. Click where it should go, then insert it again.",
  notInserted: (file: string) => `${file} can't be changed. Copy the code instead.`,
  changeTitle: (file: string) => `${file} (change by a subagent)`,
  noneChanged: "No subagent has changed a file yet.",
  selectToReview: "Select a subagent to review its changes",
  changesOf: (name: string, goal: string) => `Changes by ${name}: ${goal}`,
  noChanges: "The agent did not report the lines that it changed.",
  deletedFiles: (paths: string) => `deleted ${paths}`,
  noChange: "This change is not in the run's events.",
  ended: (name: string, status: string, goal: string) => `${name}: ${status} · ${goal}`,
  systemNotices: "Subagents",
  dontShowAgain: "Don't Show Again",
  offerNotifier:
    "Show the notifications of this remote window on your desktop too? This installs a small extension on " +
    "your computer.",
  installNotifier: "Install",
  notNow: "Not Now",
  notifierInstalled:
    "Installed. While the window has no focus, its notifications also appear on your desktop.",
  several: (ended: number, asking: number) =>
    [
      ...(ended === 0 ? [] : [`${counted(ended, "subagent")} ended`]),
      ...(asking === 0 ? [] : [`${asking} ${asking === 1 ? "needs" : "need"} you`]),
    ].join(" · "),
  badge: (ended: number, waiting: number) =>
    [
      ...(ended === 0 ? [] : [`${counted(ended, "subagent")} ended`]),
      ...(waiting === 0 ? [] : [`${waiting} ${waiting === 1 ? "needs" : "need"} you`]),
    ].join(", "),
};

/** Files for the agent of a launch. */
export const attaching = {
  title: "Attach files for the agent",
  label: "Attach",
  noFile: (name: string) => `Can't read ${name}. Attach files, not folders.`,
  noSelection: "Open a saved file and select lines in it first.",
};

/** Comments on the changes of a run. */
export const comments = {
  label: "Comments for the Subagent",
  you: "You",
  prompt: "Comment for the subagent",
  placeHolder: "What should it change here?",
  edited: "A comment is still being edited. Save or cancel it, then send the comments.",
  none: "No comments to send. Open a change of a subagent and add one at a line.",
  gone: "The run with these comments was deleted. The comments are now in the goal of the composer, for another subagent.",
};

/** Applying code of a message to a file. */
export const apply = {
  untrusted: "Code can't be applied in Restricted Mode. Trust the workspace first.",
  outside: (file: string) =>
    `${file} is not in this workspace. Open its folder, or copy the code instead.`,
  refused: (files: readonly string[]) =>
    `${files.join(", ")} can't be changed. Copy the code instead.`,
  noText: (file: string) => `${file} can't be opened as text. Copy the code instead.`,
  noDiff:
    "This diff can't be applied. It can't be read, or it renames, copies or replaces whole files. Copy the code instead.",
  same: (file: string) => `${file} already contains this code.`,
  noPlace: (file: string) =>
    `The code does not fit into ${file}: its first and last lines are missing or occur in several places.`,
  noPlaceForDiff: (file: string) =>
    `The diff does not fit into ${file}: the lines that it changes are missing or occur in several places.`,
  insert: "Insert at Cursor",
  deletes: (files: readonly string[]) => `The diff deletes ${files.join(", ")}. Delete now?`,
  deletesAtOnce: "A deletion takes effect at once, unlike changes, which you save yourself.",
  deleteFile: "Delete",
  changed: (file: string) => `${file} has changed meanwhile, so it was not deleted.`,
};
