import { counted, exact } from "../format.js";

/** What the reports show for a figure that nobody recorded. */
export const UNKNOWN = "–";

/** The report on problems of the task history. */
export const doctor = {
  heading: "Task History Diagnosis",
  noProblems: "No problems found.",
  problems: (count: number) => `${counted(count, "problem")} found. Nothing was changed.`,
  checked: "Locations checked",
  suggestion: (remedy: string) => `Suggestion: ${remedy}.`,
  tasks: (count: number) => counted(count, "task"),
  emptyFolders: (count: number) => counted(count, "empty folder"),
  alsoNamed: (names: string) => `also named ${names}, counted once`,
  folderMissing: "folder not found",
  searched: (places: number, found: number) =>
    `Discovery searched ${counted(places, "usual location")} and found tasks in ${found === 0 ? "none" : exact(found)} of them.`,
  notInHistory: "Not in the task history:",
  advice:
    "To include them, add their folders to the setting `subagentSidecar.foreignRoots`, or turn on " +
    "`subagentSidecar.history.autoDiscover`.",
  /** Headings for the codes of findings. */
  findings: {
    empty: "Empty folders",
    messagesGone: "Folders without messages",
    duplicate: "Duplicate tasks",
    missing: "Missing message files",
    unreadable: "Unreadable files",
    notRegular: "Not regular files",
    tooLarge: "Oversized files",
    recovered: "Recovered from an interrupted save",
    badUtf8: "Invalid UTF-8",
    byteOrderMark: "Byte order mark",
    padding: "Null-byte padding (power loss)",
    wrapped: "Wrapped messages",
    cut: "Truncated files",
    strayTail: "Trailing data",
    malformed: "Malformed messages",
    notMessages: "Files without messages",
    internal: "Internal errors",
    orphan: "Tasks that their product does not list",
    indexOnly: "Listed tasks without a folder",
    locked: "Locked tasks",
    staleLock: "Stale locks",
    leftover: "Leftovers of an interrupted save",
    fragment: "Leftovers that may be the only copy",
    disagreement: "List entries that disagree with messages",
    strangeName: "Folders that are not tasks",
    unlistable: "Unreadable folders",
    linkedFolder: "Linked folders, which are not followed",
    dueDeletion: "Sessions that their product will delete soon",
    lostCopies: "Copies of sessions missing from their list",
    missingCopies: "Missing copies of deleted sessions",
    damagedCopy: "Damaged copies of deleted sessions",
  },
};

/** The report on the machines of a cluster. */
export const fleet = {
  heading: "Fleet Status",
  asking: "Asking the cluster for its nodes…",
  unconfigured:
    "No cluster is configured. Set `fleet.gateway` in the sidecar's `config.toml`, then restart the sidecar.",
  unusable: (problem: string) => `**It cannot be used:** ${problem}.`,
  nodes: "Nodes",
  withToken: (address: string) => `Cluster at ${address}, with authentication.`,
  withoutToken: (address: string) => `Cluster at ${address}, **without** authentication.`,
  freeSlots: (free: number, slots: number) => `${exact(free)} of ${counted(slots, "slot")} free.`,
  versions: (versions: string) => `Versions: ${versions}.`,
  slotsOfNode: (free: number, slots: number) => `${exact(free)} of ${exact(slots)}`,
  nodeColumns: ["Node", "In use", "Free slots", "Agents", "Labels", "Address", "Version"],
  problems: "Problems",
  runs: "Runs",
  runColumns: ["Run", "Subagent", "Node", "State", "Last response"],
  otherRuns: (count: number) =>
    count === 1
      ? "1 other run belongs to another sidecar or has ended."
      : `${exact(count)} other runs belong to other sidecars or have ended.`,
};

/** The report on tokens and costs of stored tasks. */
export const totals = {
  heading: "Usage Totals",
  allTasks: (count: number) => `All stored tasks: ${counted(count, "task")}.`,
  matching: (query: string, count: number) =>
    `Tasks in all workspaces that match the filter ${query}: ${counted(count, "task")}.`,
  recorded: (withCost: number, withTokens: number) =>
    `Cost recorded for ${counted(withCost, "task")}, tokens for ${counted(withTokens, "task")}.`,
  unknownMeans: `“${UNKNOWN}” means not recorded.`,
  estimated: (cost: string, tasks: number, prices: string) =>
    `Estimated for ${counted(tasks, "task")} without a recorded cost, and not included below: ${cost} (${prices}).`,
  copies: (count: number) =>
    count === 1
      ? "1 copy of these tasks in other roots is not counted again."
      : `${exact(count)} copies of these tasks in other roots are not counted again.`,
  all: "All",
  unknown: "unknown",
  columns: ["Tasks", "Cost", "Tokens in", "Tokens out", "Cache reads", "Cache writes", "Size"],
  /** What the totals are grouped by: the heading of the section, and of its first column. */
  groups: {
    workspace: { heading: "By workspace", column: "Workspace" },
    mode: { heading: "By mode", column: "Mode" },
    product: { heading: "By product", column: "Product" },
    model: { heading: "By model", column: "Model" },
    day: { heading: "By day", column: "Day" },
  },
  shareOfCost: "Share of cost",
  shareOfTokens: "Share of tokens",
  costPerDay: "Cost by day of last activity",
  tokensPerDay: "Tokens by day of last activity",
  /** Describe the chart of days to who cannot see it; `most` is the day with the most. */
  dayChart: (what: string, first: string, last: string, most: string) =>
    `${what} from ${first} to ${last}, at most ${most}.`,
  scale: (what: string, most: string) => `${what}, at most ${most}`,
  notDrawn: (count: number) =>
    `${counted(count, "day")} ${count === 1 ? "is" : "are"} not in the chart, which shows the newest 120 days and none in the future.`,
  tokens: (count: string) => `${count} tokens`,
  percent: (value: number) =>
    value < 1 ? "<1%" : value > 99 && value < 100 ? ">99%" : `${exact(Math.round(value))}%`,
  withSubtasks: "Tasks with subtasks",
  parentColumns: ["Task", "Total tasks", "Cost", "Total cost", "Tokens", "Total tokens"],
  disk: "Disk use of this extension's tasks",
  diskColumns: ["Root", "Tasks", "Messages (included in tasks)", "Archive", "Trash"],
  cut: (shown: number, all: number) => `Showing ${exact(shown)} of ${exact(all)} rows.`,
  cutTrees: (shown: number, all: number) =>
    `Showing ${exact(shown)} of ${exact(all)} rows. Filter the task history to see others.`,
  exportAll: "Export all rows as CSV…",
};
