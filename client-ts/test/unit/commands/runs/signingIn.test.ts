import { homedir } from "node:os";

import { beforeEach, expect, test } from "vitest";

import { signInCommands } from "../../../../src/commands/runs/signingIn.js";
import type { RunnerInfo } from "../../../../src/protocol.js";
import type { SubagentService } from "../../../../src/service/service.js";
import { shown, workspace } from "../../../vscode.js";
import { asyncTask } from "../../tasks.js";

const CODEX: RunnerInfo = {
  ...{ name: "codex-acp", type: "acp", available: true },
  auth: { needed: true, methods: [{ id: "key", name: "Key" }], command: ["codex", "login"] },
};
const CLAUDE: RunnerInfo = {
  ...{ name: "claude", type: "acp", available: true },
  auth: {
    needed: false,
    methods: [
      { id: "s", name: "Subscription", command: ["claude", "login"], env: { OWN: "1" } },
      { id: "c", name: "Console", command: ["claude", "it's me"] },
    ],
    command: ["claude", "/login"],
  },
};
const ABSENT: RunnerInfo = { ...CODEX, name: "absent", available: false };
const SILENT: RunnerInfo = { name: "silent", type: "command", available: true };

beforeEach(() => {
  Object.assign(shown, { messages: [], answers: [], rows: undefined, terminals: [], settings: {} });
  workspace.isTrusted = true;
});

function signIn(items: readonly RunnerInfo[], target?: unknown) {
  const start = (): Promise<void> => Promise.resolve();
  const tasks = new Map(
    ["codex-acp", "claude", "silent"].map((runner) => [runner, asyncTask(runner, { runner })]),
  );
  const service = { start, request: () => Promise.resolve({ items }), tasks };
  return signInCommands({ service: service as unknown as SubagentService })[
    "subagentSidecar.agent.signIn"
  ](target);
}

test("the command of a run's agent is typed into a terminal that the user sees", async () => {
  shown.settings = { runners: { "codex-acp": { env: { CODEX_HOME: "/c" } } } };
  await signIn([CODEX, CLAUDE], "codex-acp");
  const [terminal] = shown.terminals;
  expect(terminal?.options).toMatchObject({
    ...{ name: "Sign in to codex-acp", cwd: homedir(), env: { CODEX_HOME: "/c" } },
  });
  expect([terminal?.visible, terminal?.typed]).toEqual([true, ["codex login"]]);
  expect(shown.rows).toBeUndefined();
});

test("of several ways the user chooses one", async () => {
  shown.answers = ["Console"];
  await signIn([CODEX, CLAUDE], "claude");
  expect(shown.rows).toEqual(["Subscription", "Console"]);
  expect(shown.terminals.map(({ typed }) => typed)).toEqual([[String.raw`claude 'it'\''s me'`]]);
});

test("without a run the user chooses among the installed agents that can sign in", async () => {
  shown.answers = ["codex-acp"];
  await signIn([CODEX, CLAUDE, ABSENT, SILENT]);
  expect(shown.rows).toEqual(["codex-acp", "claude", "claude"]);
  expect(shown.terminals).toHaveLength(1);
  await signIn([CODEX]);
  expect(shown.terminals).toHaveLength(1);
});

test("an agent without a command says what to do instead", async () => {
  await signIn([SILENT], "silent");
  await signIn([SILENT]);
  expect(shown.messages).toEqual([
    expect.stringContaining("silent has no known sign-in command."),
    "No installed agent has a sign-in command.",
  ]);
  expect(shown.terminals).toEqual([]);
});

test("in Restricted Mode nothing runs", async () => {
  workspace.isTrusted = false;
  await signIn([CODEX], "codex-acp");
  expect(shown.terminals).toEqual([]);
});
