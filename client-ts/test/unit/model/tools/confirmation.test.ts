import { expect, test } from "vitest";

import { checkConfirmation, taskConfirmation } from "../../../../src/model/tools/confirmation.js";
import { checkInput, taskInput } from "../../../../src/model/tools/input.js";
import { code, fenced } from "../../../../src/model/text/markup.js";
import { asyncTask } from "../../tasks.js";
import { definition } from "../samples.js";

const CALL = { subagent_name: " reviewer ", goal_prompt: "Review it", async: true };

function factsOf(...args: Parameters<typeof taskConfirmation>): Record<string, string> {
  return Object.fromEntries(taskConfirmation(...args).facts);
}

test("a launch names the agent, its rights and its folder, and quotes what it gets", () => {
  const input = taskInput({
    ...CALL,
    behaviour_prompts: ["Be brief"],
    context: { branch: "main" },
  });
  const more = { model: "large", permissions: "allowReads" as const, timeoutSeconds: 90 };
  expect(taskConfirmation(input, definition(more), "acp", "/house")).toEqual({
    title: "Run the subagent reviewer?",
    facts: [
      ["Runs", "in the background"],
      ["Agent", "opencode"],
      ["Model", "large"],
      ["Permissions", "reads without asking, asks before it changes anything"],
      ["Tools", "all tools of the agent"],
      ["Time limit", "1m 30s"],
      ["Defined in", "/house/.sidecar/agents/reviewer.md (workspace)"],
      ["Folder", "/house"],
    ],
    quotes: [
      ["Goal", "Review it"],
      ["Instructions", "Be brief"],
      ["Context", '{\n  "branch": "main"\n}'],
    ],
  });
});

test("a policy that is not approved is not promised, and no command is claimed to ask", () => {
  const wide = definition({ permissions: "allowAll", approval: "sha256:1" });
  const input = taskInput(CALL);
  expect(factsOf(input, wide, "acp", "/h")["Permissions"]).toMatch(/haven't approved.*allowAll/u);
  expect(factsOf(input, wide, "command", "/h")["Permissions"]).toBe(
    "a program that runs with your permissions and doesn't ask",
  );
  expect(factsOf(input, wide, "command", "/h")).not.toHaveProperty("Tools");
  expect(factsOf(input, definition(), "acp", "/h")["Permissions"]).toMatch(/^your default policy/u);
});

test.each([
  [undefined, undefined, "all tools of the agent"],
  [undefined, ["read"], "read"],
  [[], ["read"], "none"],
  [["read"], undefined, "read"],
  [["read", "write"], ["read"], "read, write; of those, only read"],
])("the tools %j of a definition with %j are shown", (wanted, tools, shown) => {
  const input = taskInput(wanted === undefined ? CALL : { ...CALL, tool_whitelist: wanted });
  const own = definition(tools === undefined ? {} : { tools });
  expect(factsOf(input, own, "acp", "/h")["Tools"]).toBe(shown);
});

test("a subagent that could not be read is confirmed without a promise", () => {
  const { note, facts } = taskConfirmation(taskInput({}), undefined, undefined, undefined);
  expect(note).toMatch(/permissions are unknown/u);
  expect(facts).toEqual([
    ["Runs", "now; the model waits for the result"],
    ["Folder", "none; open a folder first"],
  ]);
});

test("only calls that change something are confirmed", () => {
  const run = asyncTask("t1");
  for (const read of [{}, { task_id: "t1" }, { task_id: "t1", action: "peek" }]) {
    expect(checkConfirmation(checkInput(read), run)).toBeUndefined();
  }
  expect(checkConfirmation(checkInput({ task_id: "t1", action: "cancel" }), run)).toMatchObject({
    title: "Cancel the subagent reviewer?",
    quotes: [["Goal", "Review the last commit."]],
  });
  const send = checkInput({ task_id: "t1", action: "send", message: "Stop" });
  expect(checkConfirmation(send, undefined)).toMatchObject({
    title: "Send a message to the subagent with the ID t1?",
    quotes: [["Message", "Stop"]],
  });
});

test("a model's words cannot hide, and cannot leave their block", () => {
  const input = taskInput({ ...CALL, subagent_name: "a\u202Eb\nc", goal_prompt: "x\u200By" });
  const { title, quotes } = taskConfirmation(input, undefined, undefined, "/h");
  expect(title).toBe("Run the subagent a<U+202E>b c?");
  expect(quotes).toEqual([["Goal", "x<U+200B>y"]]);
  expect(fenced("```\n[link](command:x)")).toBe("````text\n```\n[link](command:x)\n````");
  expect([code("a"), code("a`b")]).toEqual(["`a`", "`` a`b ``"]);
});
