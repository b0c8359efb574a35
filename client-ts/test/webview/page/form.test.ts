import { afterEach, beforeEach, expect, test, vi } from "vitest";

import type { FromWebview, ToWebview } from "../../../src/panel/messages.js";
import type { QuestionEvent, QuestionSchema } from "../../../src/protocol.js";
import { Page } from "../../../webview/page/page.js";
import { numbered, task } from "../samples.js";

beforeEach(() => {
  vi.useFakeTimers();
  document.body.innerHTML = `<div id="app"></div><div id="announcements"></div>`;
});
afterEach(() => {
  vi.useRealTimers();
});

const SCHEMA: QuestionSchema = {
  type: "object",
  properties: {
    name: { type: "string", title: "Name", minLength: 2 },
    port: { type: "integer", title: "Port", minimum: 1, maximum: 9, default: 5 },
    engine: {
      type: "string",
      title: "Engine",
      oneOf: [
        { const: "a", title: "A <b>" },
        { const: "b", title: "B", description: "The other one" },
      ],
    },
    tags: {
      type: "array",
      title: "Tags",
      items: { anyOf: ["x", "y", "z"].map((each) => ({ const: each, title: each })) },
    },
    sure: { type: "boolean", title: "Sure" },
    key: { type: "string", title: "API key" },
  },
  required: ["name", "port"],
};

type Bare = Omit<QuestionEvent, "seq" | "ts">;
const asked = (more: Partial<Bare>): Bare => ({
  type: "question",
  requestId: "r",
  state: "asked",
  title: "Which database?",
  ...more,
});

/** A page that shows a question; `saved` is what an earlier page had left. */
function asking(question: Bare, saved?: unknown) {
  const sent: FromWebview[] = [];
  const state = { saved };
  const page = new Page(
    {
      postMessage: (request) => sent.push(request),
      getState: () => state.saved,
      setState: (next) => {
        state.saved = next;
      },
    },
    document,
  );
  page.start();
  const tell = (...messages: ToWebview[]): void => {
    messages.forEach((each) => {
      page.send(each);
    });
    vi.advanceTimersByTime(400);
  };
  tell(
    { type: "service", state: { kind: "running" } },
    { type: "open", taskId: "t1" },
    { type: "task", task: task() },
    { type: "events", taskId: "t1", events: numbered([question]) },
  );
  return { tell, state, replies: () => sent.filter(({ type }) => type === "reply") };
}

function all<T extends HTMLElement>(selector: string): T[] {
  return [...document.querySelectorAll<T>(selector)];
}

function control(label: string): HTMLInputElement {
  const found = all<HTMLLabelElement>("label").find((each) => each.textContent.includes(label));
  const inside = found?.querySelector("input") ?? document.getElementById(found?.htmlFor ?? "");
  if (!(inside instanceof HTMLInputElement)) {
    throw new Error(`no input labeled ${label}`);
  }
  return inside;
}

function enter(label: string, text: string): void {
  const input = control(label);
  input.value = text;
  input.dispatchEvent(new Event("input", { bubbles: true }));
  vi.advanceTimersByTime(400);
}

function click(label: string): void {
  control(label).click();
  vi.advanceTimersByTime(400);
}

function submit(): void {
  const [form] = all<HTMLFormElement>("form.form");
  form?.dispatchEvent(new Event("submit", { bubbles: true, cancelable: true }));
  vi.advanceTimersByTime(400);
}

test("a form has a labeled control for each field and starts with the defaults", () => {
  asking(asked({ schema: SCHEMA }));
  expect(control("Port").value).toBe("5");
  expect(control("API key").type).toBe("password");
  expect(all("[role=radiogroup]")).toHaveLength(2);
  expect(all("input[type=checkbox]")).toHaveLength(3);
  expect(document.body.textContent).toContain("A <b>");
  expect(document.querySelector("form b")).toBeNull();
});

test("a group of choices has a name for screen readers", () => {
  asking(asked({ schema: SCHEMA }));
  const names = all(".field[role]").map((group) => {
    const label = document.getElementById(group.getAttribute("aria-labelledby") ?? "");
    return label?.textContent.replace(/\s+/gu, " ").trim();
  });
  expect(names).toEqual(["Engine (optional)", "Tags (optional)", "Sure (optional)"]);
});

test("a field is drawn before the next key, so that quick choices are all kept", () => {
  const { replies } = asking(asked({ schema: SCHEMA }));
  enter("Name", "db");
  control("x").click();
  control("z").click();
  submit();
  expect(replies()).toMatchObject([{ content: { tags: ["x", "z"] } }]);
});

test("problems are shown at their fields, described for screen readers, and keep the form", () => {
  const { replies } = asking(asked({ schema: SCHEMA }));
  enter("Port", "12");
  submit();
  expect(replies()).toEqual([]);
  expect(all(".field-problem").map((each) => each.textContent.trim())).toEqual([
    "Enter a value.",
    "Enter 9 or less.",
  ]);
  const name = control("Name");
  expect(name.getAttribute("aria-invalid")).toBe("true");
  const described = name.getAttribute("aria-describedby")?.split(" ")[0] ?? "";
  expect(document.getElementById(described)?.textContent).toContain("Enter a value.");
  expect(document.activeElement).toBe(name);
});

test("a complete form is sent once, with values of the right types", () => {
  const { replies } = asking(asked({ schema: SCHEMA }));
  enter("Name", "db");
  click("B");
  click("z");
  click("x");
  click("No");
  submit();
  submit();
  const content = { name: "db", port: 5, engine: "b", tags: ["x", "z"], sure: false };
  expect(replies()).toEqual([
    { type: "reply", taskId: "t1", requestId: "r", action: "accept", content },
  ]);
});

test("a refused answer can be sent again", () => {
  const { replies, tell } = asking(asked({ schema: SCHEMA }));
  enter("Name", "db");
  submit();
  tell({ type: "answerFailed", taskId: "t1", requestId: "r", message: "content.name: no" });
  expect(document.body.textContent).toContain("content.name: no");
  submit();
  expect(replies()).toHaveLength(2);
});

test("what was entered survives a reload, but no password", () => {
  const { state } = asking(asked({ schema: SCHEMA }));
  enter("Name", "database");
  enter("API key", "hunter2");
  vi.advanceTimersByTime(1_000);
  expect(JSON.stringify(state.saved)).not.toContain("hunter2");
  document.body.innerHTML = `<div id="app"></div><div id="announcements"></div>`;
  asking(asked({ schema: SCHEMA }), JSON.parse(JSON.stringify(state.saved)));
  expect(control("Name").value).toBe("database");
  expect(control("API key").value).toBe("");
});

test("an address is shown whole and opened only by a click", () => {
  const { replies } = asking(asked({ url: "https://example.com/in?x=1" }));
  expect(document.querySelector(".ask-command")?.textContent).toBe("https://example.com/in?x=1");
  expect(document.querySelector("a[href]")).toBeNull();
  expect(replies()).toEqual([]);
  const [open] = all("button.primary").filter((each) =>
    each.textContent.includes("Open in Browser"),
  );
  open?.click();
  expect(replies()).toEqual([{ type: "reply", taskId: "t1", requestId: "r", action: "accept" }]);
});

test("an answered question shows its answer by the labels of the form", () => {
  const { tell } = asking(asked({ schema: SCHEMA }));
  const answered = asked({
    state: "answered",
    action: "accept",
    by: "user",
    content: { port: 5, engine: "b", sure: true },
  });
  tell({ type: "events", taskId: "t1", events: numbered([answered], 2) });
  expect(document.querySelector("form.form")).toBeNull();
  expect(all(".form-values dt").map((each) => each.textContent)).toEqual([
    "Port",
    "Engine",
    "Sure",
  ]);
  expect(all(".form-values dd").map((each) => each.textContent)).toEqual(["5", "B", "Yes"]);
});
