import { counted, exact } from "../format.js";

export const common = {
  untitled: "(untitled)",
  show: "Show",
  quoted: (text: string) => `“${text}”`,
  tasks: (count: number) => counted(count, "task"),
  shownOf: (shown: number, all: string) => `${exact(shown)} of ${all}`,
  andMore: (count: number) => `and ${exact(count)} more`,
};

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
