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

/** Subagents made of the agents that are installed. */
export const installed = {
  none: "No agent is installed that subagents can use. Install one, such as Claude Code, Codex or opencode.",
  prompt:
    "Select an installed agent. It becomes one of your own subagents and asks before it acts.",
  description: (agent: string) => `Works on any goal with ${agent}`,
};
