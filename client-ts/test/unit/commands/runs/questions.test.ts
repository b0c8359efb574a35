import { beforeEach, expect, test, vi } from "vitest";

import { questionCommands } from "../../../../src/commands/runs/questions.js";
import type { Attention } from "../../../../src/protocol.js";
import type { SubagentService } from "../../../../src/service/service.js";
import { shown, window } from "../../../vscode.js";
import { asyncTask } from "../../tasks.js";

const PERMISSION: Attention = {
  ...{ kind: "permission", requestId: "r", title: "ls", toolKind: "execute", command: "ls" },
  options: [{ optionId: "y", name: "Allow", kind: "allow_once" }],
};
const QUESTION: Attention = {
  ...{ kind: "question", requestId: "r", title: "Push it?", options: [] },
  schema: { type: "object", properties: { push: { type: "boolean" } }, required: [] },
};
const REFUSAL = Object.assign(new Error("task t has no open question 'r'"), { code: -32017 });

/** Answer with the command while `meanwhile` happens; the sidecar refuses. */
async function answered(attention: Attention, meanwhile?: Attention) {
  const tasks = new Map([["t", asyncTask("t", { attention })]]);
  const request = vi.fn(() => Promise.reject(REFUSAL));
  const start = () => Promise.resolve();
  const reveal = vi.fn(() => Promise.resolve());
  const service = { tasks, request, start } as unknown as SubagentService;
  const pick = vi.spyOn(window, "showQuickPick").mockImplementationOnce((rows: unknown) => {
    tasks.set("t", asyncTask("t", { attention: meanwhile ?? attention }));
    return Promise.resolve((rows as never[])[0]);
  });
  await questionCommands({ service, panel: { reveal, toQuestion: () => Promise.resolve(false) } })[
    "subagentSidecar.question.answer"
  ]("t");
  expect(pick).toHaveBeenCalledOnce();
  pick.mockRestore();
  return { request, reveal };
}

beforeEach(() => {
  Object.assign(shown, { messages: [], buttons: [], answers: ["Show Conversation"] });
});

test.each([
  ["a permission request", PERMISSION],
  ["a question", QUESTION],
])("an answer to %s that comes too late is refused in words without IDs", async (_, attention) => {
  const { request, reveal } = await answered(attention);
  expect(request).toHaveBeenCalledOnce();
  expect(shown.messages).toEqual(["This question is no longer open."]);
  expect(reveal).toHaveBeenCalledWith("t");
});

test("an answer to a question that was replaced meanwhile is not sent", async () => {
  const { request } = await answered(PERMISSION, { ...PERMISSION, requestId: "next" });
  expect(request).not.toHaveBeenCalled();
  expect(shown.messages).toEqual(["This question is no longer open."]);
});

test("what no line shows as a whole is not rejected by Enter", async () => {
  const reject = { optionId: "n", name: "Reject", kind: "reject_once" } as const;
  const whole: Attention = { ...PERMISSION, toolKind: "edit", paths: ["a.py"], diff: "+x" };
  const { request, reveal } = await answered({
    ...whole,
    options: [...PERMISSION.options, reject],
  });
  expect(request).not.toHaveBeenCalled();
  expect(reveal).toHaveBeenCalledWith("t");
});

const EDIT: Attention = { ...PERMISSION, toolKind: "edit", paths: ["a.py"], diff: "+x" };
const FORM: Attention = {
  ...QUESTION,
  schema: {
    ...{ type: "object", required: [] },
    properties: { a: { type: "string" }, b: { type: "string" } },
  },
};

test.each([
  ["a request that no line shows as a whole", EDIT],
  ["a form", FORM],
])(
  "where the conversation with %s is in front, its buttons get the focus",
  async (_, attention) => {
    const tasks = new Map([["t", asyncTask("t", { attention })]]);
    const service = { tasks, start: () => Promise.resolve() } as unknown as SubagentService;
    const pick = vi.spyOn(window, "showQuickPick");
    const [reveal, toQuestion] = [vi.fn(), vi.fn(() => Promise.resolve(true))];
    await questionCommands({ service, panel: { reveal, toQuestion } })[
      "subagentSidecar.question.answer"
    ]();
    expect(toQuestion).toHaveBeenCalledWith("t", "r");
    expect(pick).not.toHaveBeenCalled();
    expect(reveal).not.toHaveBeenCalled();
    pick.mockRestore();
  },
);
