import { afterEach, beforeEach, expect, test, vi } from "vitest";

import type { FromWebview, ToWebview } from "../../../src/panel/messages.js";
import type { SubagentInfo } from "../../../src/protocol.js";
import { EXAMPLE_RUNNER } from "../../../src/exampleNames.js";
import { Page } from "../../../webview/page/page.js";
import { row, task } from "../samples.js";

beforeEach(() => {
  vi.useFakeTimers();
  document.body.innerHTML = `<div id="app"></div><div id="announcements"></div>`;
});
afterEach(() => {
  vi.useRealTimers();
});

const TOUR: SubagentInfo = {
  ...{ name: "tour", runner: EXAMPLE_RUNNER, description: "Shows.", permissions: "ask" },
  source: { path: "/e/tour.md", level: "settings" },
};
const MINE: SubagentInfo = { ...TOUR, name: "mine", runner: "opencode" };
const RUN = row({ id: "t1", status: "completed", subagentName: "tour" });

function page(items: readonly SubagentInfo[]) {
  const asked: FromWebview[] = [];
  const shown = new Page(
    {
      postMessage: (request: FromWebview) => asked.push(request),
      getState: () => undefined,
      setState: () => undefined,
    },
    document,
  );
  shown.start();
  const tell = (...messages: readonly ToWebview[]): void => {
    messages.forEach((each) => {
      shown.send(each);
    });
    vi.advanceTimersByTime(1000);
  };
  tell(
    { type: "service", state: { kind: "running" } },
    { type: "runs", runs: [RUN] },
    { type: "definitions", items, problems: [] },
    { type: "offers", offers: {}, agents: [{ runner: "opencode", title: "opencode" }] },
  );
  const write = (goal: string): void => {
    const field = find("#goal") as HTMLTextAreaElement;
    field.value = goal;
    field.dispatchEvent(new InputEvent("input"));
    (find("form.composer") as HTMLFormElement).requestSubmit();
    vi.advanceTimersByTime(1000);
  };
  return { asked, tell, write };
}

function find(selector: string): HTMLElement {
  const found = document.querySelector<HTMLElement>(selector);
  if (found === null) {
    throw new Error(`${selector} is not on the page`);
  }
  return found;
}

function button(words: string): HTMLButtonElement | undefined {
  const all = [...document.querySelectorAll("button")];
  return all.find(({ textContent }) => textContent.trim() === words);
}

const chosen = (): string => (find("#subagent") as HTMLSelectElement).value;

test("while the example is the only subagent, installed agents stay offered above the composer", () => {
  const { asked } = page([TOUR]);
  expect(find("#own-goals").textContent).toContain("For goals of your own");
  button("Use opencode")?.click();
  expect(asked).toContainEqual({ type: "useAgent", runner: "opencode" });
});

test("without an installed agent, the page says what to install", () => {
  const { tell } = page([TOUR]);
  tell({ type: "offers", offers: {}, agents: [] });
  expect(find("#own-goals").textContent).toContain("install an agent");
  expect(button("New Subagent Definition…")).toBeDefined();
});

test("in Restricted Mode no agent is offered", () => {
  page([TOUR]).tell({ type: "service", state: { kind: "untrusted" } });
  expect(document.querySelector("#own-goals")).toBeNull();
});

test("the example says in plain words what it is", () => {
  page([TOUR]);
  expect(find("#composer-hint").textContent).toBe(
    "Only follows a script, in a sample project of its own.",
  );
});

test("a goal is not launched with the example, and stays for a real agent", () => {
  const { asked, tell, write } = page([TOUR]);
  write("Fix the login bug");
  expect(asked.filter(({ type }) => type === "launch")).toEqual([]);
  expect(find("[role=alert]").textContent).toContain("can't work on your goal");
  tell({ type: "definitions", items: [TOUR, MINE], problems: [] });
  tell({ type: "choose", subagentName: "mine" });
  expect(document.querySelector("form [role=alert]")).toBeNull();
  expect((find("#goal") as HTMLTextAreaElement).value).toBe("Fix the login bug");
  (find("form.composer") as HTMLFormElement).requestSubmit();
  expect(asked).toContainEqual(
    expect.objectContaining({
      type: "launch",
      subagentName: "mine",
      goalPrompt: "Fix the login bug",
    }),
  );
});

test("with a real subagent the example is neither chosen by itself nor added to a launch", () => {
  page([TOUR, MINE]);
  expect(chosen()).toBe("mine");
  expect(document.querySelector("#own-goals")).toBeNull();
  expect(document.querySelector(".adder")).toBeNull();
});

test("a goal that the example refused is launched again with another subagent", () => {
  const { tell } = page([TOUR, MINE]);
  find('[data-key="run t1"]').click();
  const refused = { status: "failed", subagentName: "tour", runner: EXAMPLE_RUNNER } as const;
  tell({ type: "task", task: task({ id: "t1", ...refused, goalPrompt: "Fix it" }) });
  expect(button("Continue…")).toBeUndefined();
  button("Launch with a Real Agent…")?.click();
  vi.advanceTimersByTime(1000);
  expect(chosen()).toBe("mine");
  expect((find("#goal") as HTMLTextAreaElement).value).toBe("Fix it");
});
