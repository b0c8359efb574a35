import { randomUUID } from "node:crypto";
import { mkdir, utimes, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

const HOUR_MS = 3_600_000;
/** How long each of them took. */
const TOOK_MS = 190_000;

/** A task as a person remembers it. */
export interface Story {
  readonly title: string;
  readonly answer: string;
  readonly hoursAgo: number;
  /** The folder that it worked in. */
  readonly folder: string;
  /** In USD; by default some cents. */
  readonly cost?: number;
  /** What it changed in a file before its answer. */
  readonly edit?: { readonly path: string; readonly before: string; readonly after: string };
}

/** Folders that name the products whose tasks they contain. */
const EXTENSIONS = {
  roo: "rooveterinaryinc.roo-cline",
  zoo: "zoocodeorganization.zoo-code",
  kilo: "kilocode.kilo-code",
  cline: "saoudrizwan.claude-dev",
} as const;

/** Store a task as an extension of the editor writes it; returns the root that has it. */
export async function storeInExtension(
  parent: string,
  product: keyof typeof EXTENSIONS,
  { title, answer, hoursAgo, folder, cost = 0.12 + title.length / 100 }: Story,
): Promise<string> {
  const root = join(parent, EXTENSIONS[product]);
  const ts = Date.now() - hoursAgo * HOUR_MS;
  const used = {
    tokensIn: 41_000,
    tokensOut: 2_300,
    cacheReads: 18_000,
    cost,
  };
  const say = (at: number, word: string, text: string) => ({
    ts: ts + at,
    type: "say",
    say: word,
    text,
  });
  const messages = [
    say(0, "text", title),
    say(1, "api_req_started", JSON.stringify(used)),
    say(TOOK_MS, "text", answer),
    say(TOOK_MS, "completion_result", answer),
  ];
  const details = `<environment_details>\n# Current Workspace Directory (${folder}) Files\n</environment_details>`;
  const text = (words: string) => ({ type: "text", text: words });
  const api = [
    { role: "user", content: [text(`<task>\n${title}\n</task>`), text(details)], ts },
    { role: "assistant", content: [text(answer)], ts: ts + TOOK_MS },
  ];
  const task = join(root, "tasks", randomUUID());
  await store(join(task, "ui_messages.json"), JSON.stringify(messages), ts);
  await store(join(task, "api_conversation_history.json"), JSON.stringify(api), ts);
  return root;
}

/** Store a session as Claude Code writes it, below a home folder. */
export async function storeInClaude(
  home: string,
  { title, answer, hoursAgo, folder, edit }: Story,
): Promise<void> {
  const [sessionId, at] = [randomUUID(), Date.now() - hoursAgo * HOUR_MS];
  const common = { sessionId, cwd: folder, isSidechain: false };
  const times = [at - TOOK_MS, at].map((time) => ({ timestamp: new Date(time).toISOString() }));
  const answered = {
    ...{ id: "m1", role: "assistant", model: "claude-opus-4-8", stop_reason: "end_turn" },
    content: [{ type: "text", text: answer }],
    usage: { input_tokens: 5_200, output_tokens: 840 },
  };
  const records = [
    {
      ...common,
      ...times[0],
      type: "user",
      uuid: "u1",
      parentUuid: null,
      message: { role: "user", content: title },
    },
    ...(edit === undefined ? [] : editRecords(edit)).map((record) => ({
      ...common,
      ...times[1],
      ...record,
    })),
    { ...common, ...times[1], type: "assistant", uuid: "u2", parentUuid: "u1", message: answered },
  ];
  const text = records.map((record) => `${JSON.stringify(record)}\n`).join("");
  await store(join(home, ".claude/projects/-house", `${sessionId}.jsonl`), text, at);
}

/** The call that changes a file, and its result, as Claude Code writes them. */
function editRecords({ path, before, after }: NonNullable<Story["edit"]>): object[] {
  const input = { file_path: path, old_string: before, new_string: after };
  const call = {
    ...{ id: "m0", role: "assistant", model: "claude-opus-4-8", stop_reason: "tool_use" },
    content: [{ type: "tool_use", id: "c1", name: "Edit", input }],
    usage: { input_tokens: 4_900, output_tokens: 210 },
  };
  const result = { type: "tool_result", tool_use_id: "c1", content: "The file was updated." };
  return [
    { type: "assistant", uuid: "e1", parentUuid: "u1", message: call },
    { type: "user", uuid: "e2", parentUuid: "e1", message: { role: "user", content: [result] } },
  ];
}

/** Store a chat as Gemini CLI writes it, below a home folder. */
export async function storeInGemini(
  home: string,
  { title, answer, hoursAgo }: Story,
): Promise<void> {
  const [sessionId, at] = [randomUUID(), Date.now() - hoursAgo * HOUR_MS];
  const [startTime = "", timestamp = ""] = [at - TOOK_MS, at].map((time) =>
    new Date(time).toISOString(),
  );
  const projectHash = "0".repeat(64);
  const tokens = { input: 9_100, output: 620, cached: 0, thoughts: 0, tool: 0, total: 9_720 };
  const chat = {
    ...{ sessionId, projectHash, startTime, lastUpdated: timestamp },
    messages: [
      { id: "1", timestamp: startTime, type: "user", content: title },
      { id: "2", timestamp, type: "gemini", content: answer, model: "gemini-3-pro", tokens },
    ],
  };
  const name = `session-${timestamp.slice(0, 16).replace(":", "-")}-${sessionId.slice(0, 8)}.json`;
  await store(join(home, ".gemini/tmp", projectHash, "chats", name), JSON.stringify(chat), at);
}

async function store(file: string, text: string, at: number): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
  await utimes(file, new Date(at), new Date(at));
}
