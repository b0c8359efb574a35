import { ResponseError } from "vscode-jsonrpc/node";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { answerTo } from "../../../../src/model/participant/participant.js";
import { type AsyncTask, ErrorCode } from "../../../../src/protocol.js";
import type { SubagentService } from "../../../../src/service/service.js";
import { Uri, workspace } from "../../../vscode.js";
import { asyncTask } from "../../tasks.js";
import { definition } from "../samples.js";

const RUNNING = asyncTask("aaaa-1", { goalPrompt: "Review [it](command:x)" });
const ENDED = asyncTask("bbbb-2", {
  ...{ subagentName: "tester", status: "completed", endReason: "goal", completedAt: 6_000 },
  output: { terminate_reason: "GOAL", emitted_vars: {}, final_message: "All ```green```." },
});

const request = vi.fn();
let tasks: Map<string, AsyncTask>;

beforeEach(() => {
  tasks = new Map([RUNNING, ENDED].map((task) => [task.id, task]));
  request.mockReset();
  request.mockImplementation((method: string) =>
    Promise.resolve(
      method === "subagents/list"
        ? { items: [definition()], problems: [] }
        : { task: asyncTask("cccc-3") },
    ),
  );
});

afterEach(() => {
  workspace.isTrusted = true;
});

async function answer(command: string | undefined, prompt = "", references: unknown[] = []) {
  const service = { tasks, request, start: () => Promise.resolve() };
  const { parts, buttons = [] } = await answerTo(service as unknown as SubagentService, {
    ...{ command, prompt },
    references: references as [],
  });
  return { text: parts.join("\n\n"), buttons };
}

test("/list shows the runs and the subagents, a model's words as code", async () => {
  const { text } = await answer("list");
  expect(text).toContain("- `aaaa-1` `reviewer` (`Running");
  expect(text).toContain("`Review [it](command:x)`");
  expect(text).toContain("- `bbbb-2` `tester` (`Completed, 5s`)");
  expect(text).toContain("- `reviewer`: `Reviews.`");
});

test("/launch launches the named subagent with its goal and the files", async () => {
  const { text, buttons } = await answer("launch", "reviewer Review\nit", [
    { value: Uri.file("/house/a.py") },
  ]);
  const params = { subagentName: "reviewer", goalPrompt: "Review\nit\n\nFiles:\n/house/a.py" };
  expect(request).toHaveBeenCalledWith("asyncTasks/launch", { ...params, overLimit: "queue" });
  expect(text).toBe("Launched `reviewer`. A notification appears when it ends.");
  expect(buttons[0]).toMatchObject({ title: "Open Conversation", arguments: ["cccc-3"] });
});

test.each(["", "reviewer", "nobody do it"])("/launch %j says what it needs", async (prompt) => {
  expect((await answer("launch", prompt)).text).toBe(
    "Name a subagent and its goal: `/launch NAME GOAL`.\n\nSubagents: `reviewer`",
  );
  expect(request).not.toHaveBeenCalledWith("asyncTasks/launch", expect.anything());
});

test("nothing is launched in Restricted Mode", async () => {
  workspace.isTrusted = false;
  expect((await answer("launch", "reviewer x")).buttons[0]?.command).toBe("workbench.trust.manage");
  expect(request).not.toHaveBeenCalled();
});

test("/status shows all runs, or one with its result", async () => {
  expect((await answer("status")).text).toMatch(/^Running and queued:.*Ended recently:/su);
  expect((await answer("status", "tester")).text).toContain("````text\nAll ```green```.\n````");
  expect((await answer("status", "x")).text).toBe("No run matches `x`.");
});

test("/cancel cancels the one run that is named", async () => {
  expect((await answer("cancel", "aaaa")).text).toBe(
    "Cancelled `reviewer`. Its partial result is kept.",
  );
  expect(request).toHaveBeenCalledWith("asyncTasks/cancel", { taskId: "aaaa-1" });
});

test("/cancel without a name, or with one of several runs, cancels nothing", async () => {
  expect((await answer("cancel")).text).toMatch(/^Name one of these runs.*aaaa-1/su);
  tasks.set("aaab-4", asyncTask("aaab-4"));
  expect((await answer("cancel", "reviewer")).text).toMatch(/^Several runs match.*aaab-4/su);
  expect((await answer("cancel", "tester")).text).toBe("No run matches `tester`.");
  tasks.clear();
  expect((await answer("cancel")).text).toBe("No subagent is running.");
  expect(request).not.toHaveBeenCalled();
});

test("a message without a command gets the commands and the status", async () => {
  expect((await answer(undefined, "What can you do?")).text).toMatch(
    /^Commands: .*Running and queued:/su,
  );
});

test("an error is the answer", async () => {
  request.mockRejectedValue(new Error("[no](command:x)"));
  expect((await answer("list")).text).toBe("That didn't work:\n\n`[no](command:x)`");
});

test.each([
  [ErrorCode.TaskNotFound, {}, "This subagent was deleted."],
  [ErrorCode.LimitReached, { max: 2 }, "Limit reached: 2 subagents can run at once."],
])(
  "a refusal (%i) is explained to the person who asked, without IDs",
  async (code, data, words) => {
    request.mockRejectedValue(new ResponseError(code, "no async task has the ID 'aaaa-1'", data));
    expect((await answer("cancel", "aaaa")).text).toBe(`That didn't work:\n\n\`${words}\``);
  },
);
