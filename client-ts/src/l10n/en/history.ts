import { counted, exact } from "../format.js";

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
  partlySearched: (count: number) =>
    `${counted(count, "task")} ${count === 1 ? "was" : "were"} searched only in part`,
  loadMore: "Load more tasks",
  shown: (shown: string) => `${shown} shown`,
  running: "running",
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
  isGone: "it is no longer there",
  isListed: "it is neither deleted nor archived",
  isRunning: "it is running; cancel it first",
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
  severalMatch: "More than one task matches. Choose one in the list.",
  onlyRead: "This task belongs to another program, so it can only be read.",
  /** Whose a message is. */
  roles: {
    user: "user",
    assistant: "assistant",
    system: "system",
    tool: "tool",
    unknown: "unknown",
  } as Partial<Record<string, string>>,
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
  tooLong: (left: number) => `… and ${exact(left)} more messages, too long to show here.`,
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

/** The tasks of other agents, at the first start. */
export const discovery = {
  discovered:
    "The history also lists the tasks that other agents, such as Claude Code, Codex and opencode, keep on this machine. " +
    "The extension only reads their files. To change this, use the setting subagentSidecar.history.autoDiscover.",
  turnOff: "Turn Off",
};

/** Sessions that their own product will delete soon. */
export const deletions = {
  due: (count: number, days: number) =>
    `${counted(count, "session")} will be deleted within ${counted(days, "day")}.`,
  kept:
    "From now on, the sidecar copies these sessions before their agent deletes them. " +
    "To change this, use the setting subagentSidecar.history.keep.",
  notCopied:
    "The sidecar could not copy these sessions, for example because the copies have reached " +
    "history.keepMaxBytes. Its log says why.",
};
