import type { Product } from "../protocol.js";
import { table } from "../text/markdown.js";
import { queryHelp } from "./strings.js";

const { fields, or } = queryHelp;

/** Every product; the compiler refuses a list that lacks one. */
const PRODUCTS = Object.keys({
  roo: true,
  zoo: true,
  kilo: true,
  cline: true,
  sidecar: true,
  claude: true,
  codex: true,
  opencode: true,
  gemini: true,
  copilot: true,
  qwen: true,
} satisfies Record<Product, true>).map((name) => `\`${name}\``);

const FIELDS = [
  ["`status:failed`, `status:failed,abandoned`", fields.status],
  ["`outcome:waiting`", fields.outcome],
  ["`title:login`", fields.title],
  ["`id:0199c3a4`", fields.id],
  ["`tag:release`", fields.tag],
  ["`mode:architect`", fields.mode],
  ["`product:claude`", `${PRODUCTS.slice(0, -1).join(", ")} ${or} ${PRODUCTS.at(-1) ?? ""}`],
  ["`workspace:orders`", fields.workspace],
  ["`root:claude-dev`", fields.root],
  ["`model:sonnet`", fields.model],
  ["`parent:0199c3a4`", fields.parent],
  ["`kept:true`", fields.kept],
  ["`file:src/app.ts`", fields.file],
  ["`cost>0.5` `tokens>=20k` `messages<10` `size>3MB`", fields.numbers],
  ["`estimate>0.5`", fields.estimate],
  ["`created>2026-01-31` `created:2026-01-31` `active<2h`", fields.dates],
  ["`duration>30m`", fields.duration],
  ["`since:7d` `since:12h` `until:2026-01-31`", fields.since],
] as const;

/** What users can type to search or filter the task history. */
export const QUERY_HELP = `# ${queryHelp.heading}

${queryHelp.introduction}

${table(queryHelp.columns, FIELDS, ["---"])}

${queryHelp.combining}

\`\`\`text
status:failed cost>1 since:30d
(mode:code OR mode:architect) -draft
product:roo,kilo workspace:orders "exact words"
\`\`\`
`;
