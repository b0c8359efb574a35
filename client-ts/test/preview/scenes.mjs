const NOW = Date.now();
const running = { type: "service", state: { kind: "running" } };
const definitions = {
  type: "definitions",
  items: [
    definition("inventory", "Lists the files of the workspace and says what each folder is for."),
    definition("test-writer", "Writes tests for what it is pointed at."),
  ],
  problems: [{ path: ".sidecar/agents/broken.md", line: 3, message: "name: expected a word" }],
};

function definition(name, description) {
  const source = { path: `/agents/${name}.md`, level: "user" };
  return { name, description, runner: "example", source };
}

function run(id, status, goal, more = {}) {
  const times = {
    launchedAt: NOW - 75_000,
    ...(status === "running" ? {} : { completedAt: NOW - 40_000 }),
  };
  return { id, subagentName: "inventory", status, goal, ...times, ...more };
}

const runs = {
  type: "runs",
  runs: [
    run("a", "running", "Find every place where a date is parsed without a time zone and say why"),
    run("q", "queued", "Write tests for the parser", {
      queuedAt: NOW - 9_000,
      queuePosition: 2,
      subagentName: "test-writer",
    }),
    run("w", "running", "Update the dependencies and run all tests", {
      ...{ subagentName: "claude", cost: 0.12, asks: "npm install --save-dev vitest@4" },
      changes: { files: 2, additions: 12, deletions: 3 },
    }),
    run("b", "completed", "Count the lines of each module", {
      ...{ endReason: "goal", cost: 0.031, changes: { files: 4, additions: 182, deletions: 40 } },
      ...{ folder: "shop", model: "claude-haiku-4-5" },
    }),
    run("c", "failed", "Port the build to the new compiler, with all warnings mended", {
      endReason: "timeout",
    }),
    run("d", "cancelled", "Rename things", {
      model: "claude-haiku-4-5-20251001",
      endReason: "cancelledByUser",
      completedAt: NOW - 9e6,
    }),
    run("e", "failed", "Look for dead code", { endReason: "lost", completedAt: NOW - 3e8 }),
  ],
};

const stored = (id, title, hours, more = {}) => ({
  ...{ id, root: "/r", title, status: "completed", outcome: "completed", product: "roo" },
  ...{ agent: "Code", at: NOW - hours * 36e5, cost: 0.42, ...more },
});

const history = {
  type: "history",
  page: {
    ...{ scope: "workspace", sort: "recent", filter: "", from: 0, matched: 812, total: 5_020 },
    ...{ hasMore: true, totals: "1.2M tokens · $96.10" },
    rows: [
      stored("h1", "Explain why the nightly import takes four hours and fix it", 2),
      stored("h2", "Add a dark theme", 3, {
        product: "cline",
        status: "failed",
        outcome: "failed",
      }),
      stored("h3", "Split the order module", 26, {
        product: "sidecar",
        agent: "reviewer",
        own: true,
      }),
      stored("h4", "Upgrade to Python 3.14", 30, {
        cost: 3.1,
        status: "active",
        outcome: "waiting",
      }),
      stored("h5", "Write the release notes", 80, { product: "kilo" }),
      ...Array.from({ length: 195 }, (_, at) =>
        stored(`o${at}`, `An older task, number ${at}`, 200 + at),
      ),
    ],
  },
};

const changes = {
  type: "changes",
  tasks: [
    { id: "h1", root: "/r", changes: { files: 3, additions: 128, deletions: 41 } },
    { id: "h3", root: "/r", changes: { files: 9, additions: 1_204, deletions: 987 } },
    { id: "h4", root: "/r", changes: { files: 1, additions: 2, deletions: 0 } },
  ],
};

function task(id, status, more = {}) {
  return {
    id,
    subagentName: "inventory",
    goalPrompt:
      "Find every place where a date is parsed without a time zone.\nSay for each why it matters.",
    status,
    launchedAt: NOW - 75_000,
    ...(status === "running" ? {} : { completedAt: NOW - 1_000 }),
    progress: {
      turns: 3,
      toolCalls: 4,
      inputTokens: 8123,
      outputTokens: 900,
      cost: 0.031,
      lastActivityAt: NOW - 45_000,
      currentTool: "search_files",
    },
    runner: "example",
    workspaceDir: "/w",
    ...more,
  };
}

const HOSTILE = `<img src=x onerror="document.title='owned'"> <script>document.title='owned'</script> [run](command:workbench.action.quit) [home](https://example.org) \u001b[31mred\u001b[0m`;
const ANSWER = `## What I found

Dates are parsed in **three** places:

1. \`parser.ts\` reads a day as local time
2. \`report.ts\` trusts the header

| file | line | zone |
|---|--:|---|
| parser.ts | 41 | none |
| report.ts | 7 | header |

\`\`\`ts
const day = new Date("2026-11-21"); // UTC here, local with a time: a very long line that has to scroll by itself
\`\`\`

> Both agree only in winter.

${HOSTILE}`;

function events(taskId, list) {
  return {
    type: "events",
    taskId,
    events: list.map((event, at) => ({ seq: at + 1, ts: NOW - 70_000 + at * 2_000, ...event })),
  };
}

const story = [
  { type: "state", status: "running" },
  { type: "message", messageId: "m1", text: "I will look through the sources first, " },
  { type: "message", messageId: "m1", text: "then at the tests." },
  { type: "tool", toolCallId: "1", name: "list_files", status: "started" },
  { type: "tool", toolCallId: "1", name: "list_files", status: "completed" },
  {
    type: "tool",
    toolCallId: "2",
    name: "read_file src/a/very/deep/folder/with/long/names/parser.ts",
    status: "started",
  },
  { type: "tool", toolCallId: "2", name: "read_file", status: "failed" },
  { type: "tool", toolCallId: "3", name: "search_files", status: "started" },
  { type: "log", stream: "stderr", text: "warning: skipped 3 binary files\nwarning: slow disk\n" },
  { type: "emit", name: "places", value: ["parser.ts:41", "report.ts:7"] },
  { type: "message", messageId: "m2", text: ANSWER },
];

const long = Array.from({ length: 50_000 }, (_, at) =>
  at % 3 === 0
    ? { type: "message", messageId: `m${at}`, text: `Step ${at}: reading *file ${at}*.` }
    : {
        type: "tool",
        toolCallId: `t${at - (at % 3)}`,
        name: "read_file",
        status: at % 3 === 1 ? "started" : "completed",
      },
);

const OLD = `import { parse } from "./zone";\n\nexport function day(text) {\n  // local time\n  const value = new Date(text);\n  return value;\n}\n`;
const NEW = OLD.replace(
  "  // local time\n  const value = new Date(text);",
  '  const value = parse(text, { zone: "UTC" }); // a long line that runs far to the right',
);
const entry = (content, status) => ({ content, status, priority: "medium" });
const OPTIONS = [
  { optionId: "always", name: "Always allow", kind: "allow_always" },
  { optionId: "yes", name: "Allow", kind: "allow_once" },
  { optionId: "no", name: "Reject", kind: "reject_once" },
];
const agentStory = [
  { type: "state", status: "running" },
  {
    type: "thought",
    messageId: "h1",
    text: "The user wants dates parsed with a zone. Where are they parsed?",
  },
  { type: "message", messageId: "m1", text: "I look for the places first." },
  {
    type: "plan",
    entries: [
      entry("Find where dates are parsed", "completed"),
      entry("Give each a zone", "in_progress"),
      entry("Run the tests and say what is left to do, in the order of its weight", "pending"),
    ],
  },
  {
    type: "tool",
    toolCallId: "1",
    name: "grep",
    title: "Search for new Date",
    kind: "search",
    status: "started",
    input: { pattern: "new Date\\(", path: "src" },
  },
  {
    type: "tool",
    toolCallId: "1",
    name: "grep",
    status: "completed",
    content: [{ type: "text", text: "src/day.ts:5\nsrc/report.ts:7" }],
    locations: [
      { path: "/w/src/day.ts", line: 5 },
      { path: "/w/src/report.ts", line: 7 },
      { path: "/etc/zone" },
    ],
  },
  {
    type: "tool",
    toolCallId: "2",
    name: "edit",
    title: "Edit src/day.ts",
    kind: "edit",
    status: "started",
    content: [{ type: "diff", path: "/w/src/day.ts", oldText: OLD, newText: NEW }],
    locations: [{ path: "/w/src/day.ts" }],
    input: { path: "/w/src/day.ts" },
  },
  {
    type: "permission",
    requestId: "r1",
    state: "answered",
    title: "Edit src/day.ts",
    toolCallId: "2",
    toolKind: "edit",
    optionId: "yes",
    kind: "allow_once",
    by: "policy",
  },
  { type: "tool", toolCallId: "2", name: "edit", status: "completed" },
  {
    type: "usage",
    inputTokens: 8123,
    outputTokens: 900,
    cost: 0.031,
    contextUsed: 9023,
    contextSize: 200000,
  },
  {
    type: "tool",
    toolCallId: "3",
    name: "bash",
    title: "Run the tests",
    kind: "execute",
    status: "started",
    input: { command: "npm test -- --run src/day.test.ts src/report.test.ts && npm run lint" },
  },
  {
    type: "permission",
    requestId: "r2",
    state: "asked",
    title: "Run the tests",
    toolCallId: "3",
    toolKind: "execute",
    options: OPTIONS,
  },
];
const answered = [
  ...agentStory,
  {
    type: "permission",
    requestId: "r2",
    state: "answered",
    title: "Run the tests",
    optionId: "yes",
    kind: "allow_once",
    by: "user",
  },
  {
    type: "tool",
    toolCallId: "3",
    name: "bash",
    status: "failed",
    content: [{ type: "text", text: "1 failed, 12 passed" }],
  },
  {
    type: "tool",
    toolCallId: "4",
    name: "bash",
    title: "git push",
    kind: "execute",
    status: "started",
    input: { command: "git push" },
  },
  {
    type: "permission",
    requestId: "r3",
    state: "answered",
    title: "git push",
    toolCallId: "4",
    toolKind: "execute",
    optionId: "no",
    kind: "reject_once",
    by: "remembered",
  },
  { type: "tool", toolCallId: "4", name: "bash", status: "failed" },
  {
    type: "message",
    messageId: "m9",
    text: "Both places have a zone now; one test expects local time.",
  },
];
const attention = { kind: "permission", requestId: "r2", title: "Run the tests", options: OPTIONS };

/** A question with every kind of field. */
const choice = (title, description) => ({
  const: title,
  title,
  ...(description && { description }),
});
const form = {
  ...{ type: "question", requestId: "f1", state: "asked", title: "How should I deploy it?" },
  message: "How should I deploy it?\nEverything below can be changed later.",
  schema: {
    type: "object",
    description: "These are the settings of the first deployment.",
    properties: {
      name: { type: "string", title: "Name", minLength: 2, maxLength: 40 },
      replicas: { type: "integer", title: "Replicas", minimum: 1, maximum: 9, default: 3 },
      share: { type: "number", title: "Share of the traffic", maximum: 1 },
      mail: { type: "string", format: "email", title: "Address for alerts" },
      site: { type: "string", format: "uri", title: "Site" },
      day: { type: "string", format: "date", title: "First day", default: "2026-03-14" },
      key: { type: "string", title: "API key" },
      notes: { type: "string", title: "Notes", maxLength: 5000, description: "Anything else." },
      region: {
        ...{ type: "string", title: "Region", default: "North" },
        oneOf: [choice("North", "Closest to most users, and the most expensive"), choice("South")],
      },
      zone: { type: "string", title: "Zone", oneOf: [..."abcdefghij"].map((each) => choice(each)) },
      checks: {
        ...{ type: "array", title: "Checks", minItems: 1, maxItems: 2, default: ["Smoke"] },
        items: { anyOf: [choice("Smoke"), choice("Load", "Takes an hour"), choice("Security")] },
      },
      sure: { type: "boolean", title: "Delete the old deployment" },
      "<img src=x onerror=alert(1)>": {
        type: "string",
        description: "averylongwordthatnobodywouldwritebutanagentmight".repeat(4),
      },
    },
    required: ["name", "replicas", "checks", "sure"],
  },
};

/** Twenty turns, with a failure, a question and a message of the user. */
const KINDS = { 5: "failure", 9: "question", 14: "user" };
const turns = Array.from({ length: 20 }, (_, at) => {
  const text = `Module ${at + 1}: I compare what it promises with what its callers rely on.`;
  return { seq: 3 * at + 1, kind: KINDS[at] ?? "plain", text };
});
const turnEvents = turns.flatMap(({ text, kind }, at) => [
  {
    ...{ type: "message", messageId: `m${at}`, text: `${text} ${text}` },
    ...(kind === "user" ? { role: "user" } : {}),
  },
  { type: "tool", toolCallId: `t${at}`, name: "read_file", status: "started" },
  {
    ...{ type: "tool", toolCallId: `t${at}`, name: "read_file" },
    status: kind === "failure" ? "failed" : "completed",
  },
]);

const base = [running, runs, definitions, history, changes];
const opened = (id) => ({ type: "open", taskId: id });

/** A run that ended. */
const ended = (status, endReason, more = {}, list = story.slice(0, 8)) => [
  ...base,
  opened("z"),
  { type: "task", task: task("z", status, { endReason, ...more }) },
  events("z", list),
];
const touched = (count) =>
  Array.from({ length: count }, (_, at) => ({
    path: `/w/src/orders/import/nightly/step-${at + 1}.ts`,
    ...{ actions: ["edited"], additions: 12 * at + 1, deletions: at },
  }));
const TRACE = `Traceback (most recent call last):\n${'  File "agent.py", line 7, in step\n'.repeat(9)}ConnectionError: api.example.com: connection refused`;

export const scenes = {
  endError: ended("failed", "error", { error: TRACE, errorKind: "network" }),
  endTurns: ended("failed", "maxTurns", { error: "Stopped after 50 answers of the model." }),
  endBudget: ended("failed", "budget", { error: "The run has cost $2.04; its limit is $2.00." }),
  endCancelled: ended("cancelled", "cancelledByUser", {
    partial: { emitted_vars: {}, touchedFiles: ["src/parser.ts"] },
  }),
  endInterrupted: ended("failed", "hostExit", {}),
  endOnFleet: ended("failed", "lost", { placement: { kind: "ray", node: "gpu-1", state: "lost" } }),
  endMany: [
    ...ended("completed", "goal", {
      changes: { files: 31, additions: 5_801, deletions: 465, uncountedFiles: 2 },
      placement: { kind: "ray", node: "gpu-1" },
      progress: { turns: 3, toolCalls: 92, inputTokens: 812_300, outputTokens: 90_000 },
    }),
    { type: "files", taskId: "z", files: touched(31) },
  ],
  asking: [
    ...base,
    { type: "run", run: run("a", "running", "Give every date a zone", { asks: "Run the tests" }) },
    opened("a"),
    { type: "task", task: task("a", "running", { attention }) },
    events("a", agentStory),
  ],
  form: [
    ...base,
    { type: "run", run: run("q", "running", "Deploy it", { asks: form.title }) },
    opened("q"),
    { type: "task", task: task("q", "running", { attention: { ...form, kind: "question" } }) },
    events("q", [form]),
  ],
  formWithProblems: [
    ...base,
    opened("q"),
    { type: "task", task: task("q", "running", { attention: { ...form, kind: "question" } }) },
    events("q", [form]),
    { type: "fillIn", inquiry: form, name: "replicas", entry: "12345678901234567890" },
    { type: "sendForm", inquiry: form },
  ],
  deletions: [...base, { type: "deletions", deletions: { tasks: 34, days: 3 } }],
  signIn: [
    ...base,
    {
      type: "run",
      run: run("s", "failed", "Give every date a zone", { endReason: "error", errorKind: "auth" }),
    },
    opened("s"),
    {
      type: "task",
      task: task("s", "failed", {
        ...{ runner: "codex-acp", endReason: "error", errorKind: "auth", reason: "authRequired" },
        error: "the agent requires authentication (Authentication required); run `codex login`",
      }),
    },
    { type: "signIn", taskId: "s", commands: ["codex login"] },
    events("s", story.slice(0, 1)),
  ],
  askingWhileSpeaking: [
    ...base,
    opened("a"),
    { type: "task", task: task("a", "running", { attention }), takesMessages: true },
    events("a", agentStory),
    { type: "writeMessage", taskId: "a", text: "A thought that I had\nwhile it worked" },
  ],
  askingHome: [
    ...base,
    { type: "run", run: run("a", "running", "Give every date a zone", { asks: "Run the tests" }) },
  ],
  answered: [
    ...base,
    opened("b"),
    { type: "task", task: task("b", "completed", { endReason: "goal" }) },
    events("b", answered),
  ],
  lost: [
    ...base,
    opened("e"),
    {
      type: "task",
      task: task("e", "failed", {
        endReason: "lost",
        error:
          "The sidecar was killed while this run was under way; what it had written until then is kept.",
      }),
    },
    events("e", story.slice(0, 5)),
  ],
  home: base,
  equipped: [
    ...base,
    {
      type: "offers",
      agents: [],
      offers: {
        example: {
          models: ["claude-haiku-4-5", "claude-opus-4-8-20260301"],
          ...{ modes: ["default", "plan", "acceptEdits"], askingModes: ["default", "plan"] },
          ...{ efforts: ["low", "high"], commands: [] },
        },
      },
    },
    { type: "setChoice", choice: "model", value: "claude-opus-4-8-20260301" },
  ],
  empty: [running, { type: "runs", runs: [] }, definitions],
  example: [running, { type: "runs", runs: [] }, { type: "definitions", items: [], problems: [] }],
  installed: [
    ...[running, { type: "runs", runs: [] }, { type: "definitions", items: [], problems: [] }],
    {
      type: "offers",
      offers: {},
      agents: [
        { runner: "claude", title: "Claude Code" },
        { runner: "codex", title: "Codex" },
        { runner: "opencode", title: "opencode" },
      ],
    },
  ],
  settingUp: [
    {
      type: "service",
      state: { kind: "settingUp", message: "Downloading orjson (3 of 10)…", step: "download" },
    },
  ],
  failed: [
    {
      type: "service",
      state: {
        kind: "failed",
        needsPython: true,
        message:
          "No Python was found outside the workspace. Install Python 3.11 or newer, or select an interpreter.",
      },
    },
    runs,
  ],
  untrusted: [{ type: "service", state: { kind: "untrusted" } }, runs, definitions],
  refused: [
    ...base,
    {
      type: "launchFailed",
      sent: { goalPrompt: "" },
      canQueue: true,
      message: "5 of 5 subagents are running. Wait for one to end or cancel one.",
    },
  ],
  attached: [
    ...base,
    { type: "write", goal: "Compare the picture with the notes" },
    {
      type: "attached",
      paths: ["image.png", "notes/days off.md", `notes/${"long-".repeat(14)}name.md`],
    },
    { type: "alsoUse", subagentName: "test-writer", isUsed: true },
  ],
  withAttachments: [
    ...base,
    opened("a"),
    {
      type: "task",
      task: {
        ...task("a", "running"),
        attachments: ["shot.png", "days off.md", `${"long-".repeat(14)}name.md`],
      },
    },
  ],
  streaming: [
    ...base,
    opened("a"),
    { type: "task", task: task("a", "running") },
    events("a", story),
  ],
  completed: [
    ...base,
    opened("b"),
    {
      type: "task",
      task: task("b", "completed", {
        endReason: "goal",
        output: {
          terminate_reason: "GOAL",
          emitted_vars: {},
          final_message: "Three places parse dates without a zone.",
        },
      }),
    },
    events("b", story),
  ],
  speaking: [
    ...base,
    opened("a"),
    { type: "task", task: task("a", "running", { resumes: "b" }), takesMessages: true },
    events("a", [
      { type: "message", messageId: "u", role: "user", text: "Leave the tests alone." },
      { type: "message", messageId: "m", text: "I leave the tests as they are." },
    ]),
    { type: "writeMessage", taskId: "a", text: "Dates in UTC, please." },
    { type: "sendMessage", taskId: "a" },
    { type: "sent", taskId: "a", text: "Dates in UTC, please.", delivery: "nextTurn" },
    { type: "writeMessage", taskId: "a", text: "And one more thing" },
  ],
  resuming: [
    ...base,
    opened("b"),
    { type: "task", task: task("b", "completed", { endReason: "goal" }) },
    events("b", answered),
    { type: "beginResume", taskId: "b" },
    { type: "resumeFailed", taskId: "b", message: "5 of 5 subagents are running." },
  ],
  timeout: [
    ...base,
    opened("c"),
    {
      type: "task",
      task: task("c", "failed", {
        endReason: "timeout",
        error: "Subagent exceeded its time limit of 900 seconds.",
        partial: { emitted_vars: {}, touchedFiles: ["src/parser.ts", "src/report.ts"] },
      }),
    },
    events("c", story.slice(0, 8)),
  ],
  turns: [
    ...base,
    opened("b"),
    { type: "task", task: task("b", "completed", { endReason: "goal" }) },
    events("b", turnEvents),
    { type: "turns", taskId: "b", from: 0, turns },
    { type: "jumpTo", seq: 22 },
  ],
  long: [...base, opened("a"), { type: "task", task: task("a", "running") }, events("a", long)],
  finding: [
    ...base,
    opened("a"),
    { type: "task", task: task("a", "completed") },
    events("a", long),
    { type: "find", text: "file 49980" },
  ],
};
