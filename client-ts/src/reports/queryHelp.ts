import { table } from "../text/markdown.js";

const FIELDS = [
  [
    "`status:failed`, `status:failed,abandoned`",
    "tasks with this status, or with an outcome such as `waiting`",
  ],
  ["`outcome:waiting`", "tasks with this outcome, which is more specific than the status"],
  ["`title:login`", "text in the title"],
  ["`id:0199c3a4`", "start of the ID"],
  ["`tag:release`", "tasks that you gave this tag"],
  ["`mode:architect`", "the mode the task ran in"],
  [
    "`product:claude`",
    "`roo`, `zoo`, `kilo`, `cline`, `sidecar`, `claude`, `codex`, `opencode`, `gemini`, `copilot` or `qwen`",
  ],
  ["`workspace:orders`", "text in the path of the workspace"],
  ["`root:claude-dev`", "text in the path of the root"],
  ["`model:sonnet`", "text in the model name"],
  ["`parent:0199c3a4`", "subtasks and child sessions of the task with this ID prefix"],
  ["`kept:true`", "copies of sessions that their product deletes"],
  ["`file:src/app.ts`", "tasks that touched this file; slower, because it reads messages"],
  [
    "`cost>0.5` `tokens>=20k` `messages<10` `size>3MB`",
    "numbers, with `>` `>=` `<` `<=` `=`; cost in USD",
  ],
  ["`estimate>0.5`", "estimated cost in USD of tasks without a recorded one"],
  [
    "`created>2026-01-31` `created:2026-01-31` `active<2h`",
    "time of creation or of the last activity: a date or an age",
  ],
  ["`duration>30m`", "time from creation to the last activity"],
  ["`since:7d` `since:12h` `until:2026-01-31`", "the last activity, as an age or a date"],
] as const;

/** What users can type to search or filter the task history. */
export const QUERY_HELP = `# Query Language

Search is case-insensitive and covers the ID, title, mode and folder of a task; all words must occur.
Use **"quotes"** for phrases. *Search Task History* also searches messages.

${table(["Field", "Finds"], FIELDS, ["---"])}

Terms next to each other must all match. \`OR\` matches either side, \`NOT\` or \`-\` excludes, and
parentheses group:

\`\`\`text
status:failed cost>1 since:30d
(mode:code OR mode:architect) -draft
product:roo,kilo workspace:orders "exact words"
\`\`\`
`;
