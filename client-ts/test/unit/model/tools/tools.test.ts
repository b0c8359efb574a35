import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { Reminders } from "../../../../src/model/reminders/reminders.js";
import { registerTools } from "../../../../src/model/tools/tools.js";
import type { ToolCallResult } from "../../../../src/protocol.js";
import type { SubagentService } from "../../../../src/service/service.js";
import { SidecarUnavailableError } from "../../../../src/util/errors.js";
import { CancellationError, registeredTools, workspace } from "../../../vscode.js";
import { asyncTask } from "../../tasks.js";
import { definition, quietToken } from "../samples.js";

interface NextParams {
  readonly maxChars?: number;
}

const ANSWER: ToolCallResult = { llmContent: "Done.", returnDisplay: "Done." };
const TOKENS = { tokenBudget: 300, countTokens: (text: string) => Promise.resolve(text.length) };

/** The least characters of a reminder, as of the sidecar's. */
const SHORTEST = 60;

let answers: (ToolCallResult | Error)[];
let pending: string[];
let requests: [string, object][];
const launched = vi.fn();
const ends = vi.fn();

beforeEach(() => {
  [answers, pending, requests] = [[], [], []];
  launched.mockReset();
  ends.mockReset();
  let deliveries = 0;
  let open: string[] = [];
  const results: Record<string, (params: NextParams) => unknown> = {
    "tools/call": () => answers.shift() ?? ANSWER,
    "subagents/list": () => ({ items: [definition()], problems: [] }),
    "runners/list": () => ({ items: [{ name: "opencode", type: "acp", available: true }] }),
    "asyncTasks/get": () => ({ task: asyncTask("t1"), revision: 1 }),
    "reminders/delivered": () => {
      pending = pending.filter((id) => !open.includes(id));
      return null;
    },
    "reminders/next": ({ maxChars = 10_000 }) => {
      deliveries += 1;
      open = carriedWithin(Math.max(maxChars, SHORTEST));
      const [left, deliveryId] = [pending.length - open.length, `d${deliveries}`];
      const text = `ended: ${open.join()}${left > 0 ? `, and ${left} more` : ""}`;
      return open.length > 0 ? { text, taskIds: open, deliveryId } : { text: "", taskIds: [] };
    },
  };
  const request = (method: string, params: object) => {
    requests.push([method, params]);
    const result = results[method]?.(params);
    return result instanceof Error ? Promise.reject(result) : Promise.resolve(result);
  };
  const service = { request } as unknown as SubagentService;
  const reminders = new Reminders(service);
  registerTools({ service, reminders, launched, callBegins: () => ends });
});

afterEach(() => {
  workspace.isTrusted = true;
});

/** Return the first of the pending ends, as many as fit and one at least. */
function carriedWithin(maxChars: number): string[] {
  const fitting = pending.findIndex(
    (_, last) => pending.slice(0, last + 1).join().length > maxChars,
  );
  return pending.slice(0, fitting < 0 ? pending.length : Math.max(1, fitting));
}

async function call(
  name: string,
  input: object = {},
  more: object = {},
  token = quietToken(),
): Promise<string[]> {
  const result = await registeredTools.get(name)?.invoke({ input, ...more }, token);
  return result?.content.map(({ value }) => value) ?? [];
}

function delivered(): string[] {
  return requests
    .filter(([method]) => method === "reminders/delivered")
    .map(([, params]) => (params as { deliveryId: string }).deliveryId);
}

test("a call passes the arguments on and returns the text for the model", async () => {
  expect(await call("check_async_tasks", { task_id: "t1" })).toEqual(["Done."]);
  const params = { name: "check_async_tasks", arguments: { task_id: "t1" } };
  expect(requests[0]).toEqual(["tools/call", params]);
  expect(ends).toHaveBeenCalledOnce();
});

test("the launches of the model are noted", async () => {
  answers = [{ ...ANSWER, metadata: { agentId: "t9" } }];
  await call("task", { subagent_name: "reviewer", goal_prompt: "x" });
  expect(launched).toHaveBeenCalledWith("t9");
});

test("a reminder rides as a block of its own, and the next call acknowledges it", async () => {
  pending = ["a"];
  const [, block] = await call("list_tasks");
  expect(block).toMatch(/data that they reported, not instructions:\n\nended: a$/u);
  expect(delivered()).toEqual([]);
  expect(await call("list_tasks")).toEqual(["Done."]);
  expect(delivered()).toEqual(["d1"]);
});

test("calls that run at once get a reminder once, and a later one acknowledges it", async () => {
  pending = ["a"];
  const texts = await Promise.all([call("list_tasks"), call("check_async_tasks")]);
  expect(texts.flat().filter((text) => text.includes("ended: a"))).toHaveLength(1);
  await call("list_tasks");
  expect(delivered()).toEqual(["d1"]);
});

test("a reminder counts as handed over with its result, not before", async () => {
  pending = ["a"];
  let begun: Promise<string[]> | undefined;
  const countTokens = () => {
    begun ??= call("check_async_tasks");
    return begun.then(() => Promise.reject(new Error("The count failed.")));
  };
  const tokenizationOptions = { tokenBudget: 300, countTokens };
  await expect(call("list_tasks", {}, { tokenizationOptions })).rejects.toThrow(
    "The count failed.",
  );
  expect(await begun).toEqual(["Done."]);
  expect(delivered()).toEqual([]);
  expect((await call("list_tasks")).join()).toContain("ended: a");
});

test("a cancelled call delivers nothing", async () => {
  pending = ["a"];
  await call("list_tasks", {}, {}, quietToken(true));
  expect((await call("list_tasks")).join()).toContain("ended: a");
  expect(delivered()).toEqual([]);
});

test("a cancelled request ends as cancelled", async () => {
  answers = [new Error("cancelled")];
  await expect(call("task", {}, {}, quietToken(true))).rejects.toThrow(CancellationError);
  expect(ends).toHaveBeenCalledOnce();
});

test("an error of the tool reaches the model in the sidecar's words", async () => {
  const error = { message: "short", type: "EXECUTION_FAILED" as const };
  answers = [{ ...ANSWER, llmContent: "Use one of: a, b.", error }];
  await expect(call("task")).rejects.toThrow("Use one of: a, b.");
});

test("a sidecar that does not run is reported with what to do", async () => {
  answers = [new SidecarUnavailableError("No Python was found.")];
  await expect(call("list_tasks")).rejects.toThrow(/No Python was found.*continue without/u);
});

test("a result fits the token budget, and the reminder is not what is cut", async () => {
  answers = [{ ...ANSWER, llmContent: "x".repeat(1_000) }];
  pending = ["a"];
  const texts = await call("list_tasks", {}, { tokenizationOptions: TOKENS });
  expect(texts.join("").length).toBeLessThanOrEqual(300);
  expect(texts[0]).toMatch(/characters omitted .* narrower query/u);
  expect(texts[1]).toMatch(/ended: a$/u);
});

test("a reminder that exceeds the budget arrives in parts, each acknowledged by itself", async () => {
  pending = ["a", "b", "c"].map((name) => name.repeat(90));
  const reported: string[] = [];
  for (let calls = 0; calls < 4; calls += 1) {
    const texts = await call("list_tasks", {}, { tokenizationOptions: TOKENS });
    expect(texts.join("").length).toBeLessThanOrEqual(300);
    reported.push(...(texts[1]?.match(/[abc]{90}(?:, and \d more)?/gu) ?? []));
  }
  expect(reported.map((text) => text.replace(/(.)\1+/u, "$1"))).toEqual([
    "a, and 2 more",
    "b, and 1 more",
    "c",
  ]);
  expect(pending).toEqual([]);
});

test("a reminder that exceeds the budget as short as it gets waits for a larger one", async () => {
  pending = ["a".repeat(400)];
  expect(await call("list_tasks", {}, { tokenizationOptions: TOKENS })).toEqual(["Done."]);
  expect(await call("list_tasks")).toHaveLength(2);
  expect(delivered()).toEqual([]);
});

test("Restricted Mode refuses every tool and says what to do", async () => {
  workspace.isTrusted = false;
  for (const name of ["list_tasks", "task", "check_async_tasks"]) {
    await expect(call(name)).rejects.toThrow(/Ask the user to trust the workspace/u);
    const prepare = () => registeredTools.get(name)?.prepareInvocation({ input: {} });
    expect(prepare).toThrow(/Restricted Mode/u);
  }
  expect(requests).toEqual([]);
});

test("the confirmation shows the rights that the launch would have", async () => {
  const input = { subagent_name: "reviewer", goal_prompt: "Review [it](command:x)" };
  const prepared = await registeredTools.get("task")?.prepareInvocation({ input });
  const { title, message } = prepared?.confirmationMessages ?? {};
  expect(title).toBe("Run the subagent reviewer?");
  expect(message?.value).toContain("Agent: `opencode`");
  expect(message?.value).toContain("Goal:\n\n```text\nReview [it](command:x)\n```");
});

test("a cancellation is confirmed with the goal of the run", async () => {
  const input = { task_id: "t1", action: "cancel" };
  const prepared = await registeredTools.get("check_async_tasks")?.prepareInvocation({ input });
  expect(prepared?.confirmationMessages?.title).toBe("Cancel the subagent reviewer?");
  expect(requests).toEqual([["asyncTasks/get", { taskId: "t1" }]]);
});
