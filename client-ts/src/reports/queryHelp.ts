import { table } from "../text/markdown.js";

const FIELDS = [
  [
    "`status:failed`, `status:failed,abandoned`",
    "the status of the task; outcomes such as `waiting` too",
  ],
  ["`outcome:waiting`", "how it ended or what it waits for, in finer words than the status"],
  ["`title:login`", "a part of the title"],
  ["`id:0199c3a4`", "the beginning of the id"],
  ["`mode:architect`", "the mode it worked in"],
  ["`product:roo`", "`roo`, `zoo`, `kilo`, `cline` or `sidecar`"],
  ["`workspace:orders`", "a part of the folder it worked in"],
  ["`root:claude-dev`", "a part of the path of the store"],
  ["`model:sonnet`", "a part of the model's name"],
  ["`parent:0199c3a4`", "subtasks of the task whose id begins so"],
  ["`file:src/app.ts`", "tasks that touched such a file; this reads the messages and takes longer"],
  [
    "`cost>0.5` `tokens>=20k` `messages<10` `size>3MB`",
    "numbers, with `>` `>=` `<` `<=` `=`; cost in USD",
  ],
  [
    "`created>2026-01-31` `created:2026-01-31` `active<2h`",
    "when it was created or last active: dates, or how long ago",
  ],
  ["`duration>30m`", "the time from its creation to its last activity"],
  ["`since:7d` `since:12h` `until:2026-01-31`", "the last activity, as an age or a date"],
] as const;

/** What can be typed where the task history is searched or filtered. */
export const QUERY_HELP = `# Searching the task history

Words are looked for, whatever their case, in a task's id, title, mode and folder; all of them must
occur. **"Quotes"** keep words together. The search looks for words in the messages as well.

${table(["Field", "Finds"], FIELDS, ["---"])}

Terms next to each other must all hold. \`OR\` gives a choice, \`NOT\` or \`-\` excludes, parentheses group:

\`\`\`text
status:failed cost>1 since:30d
(mode:code OR mode:architect) -draft
product:roo,kilo workspace:orders "exact words"
\`\`\`
`;
