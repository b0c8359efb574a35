import { afterEach, beforeEach, expect, test, vi } from "vitest";

import type { AgentOffer } from "../../../src/offers/offers.js";
import type { FromWebview, ToWebview } from "../../../src/panel/messages.js";
import type { SubagentInfo } from "../../../src/protocol.js";
import { Page } from "../../../webview/page/page.js";
import { row } from "../samples.js";

beforeEach(() => {
  vi.useFakeTimers();
  document.body.innerHTML = `<div id="app"></div><div id="announcements"></div>`;
});
afterEach(() => {
  vi.useRealTimers();
});

function subagent(name: string, runner: string, more: Partial<SubagentInfo> = {}): SubagentInfo {
  return {
    ...{ name, runner, description: "Works.", source: { path: `/${name}.md`, level: "user" } },
    ...more,
  };
}

const OFFER: AgentOffer = {
  models: ["small", "large"],
  modes: ["default", "plan", "auto"],
  askingModes: ["default", "plan"],
  efforts: ["low", "high"],
  commands: [],
};
const READY: readonly ToWebview[] = [
  { type: "service", state: { kind: "running" } },
  { type: "runs", runs: [] },
  {
    type: "definitions",
    items: [
      subagent("tester", "agent"),
      subagent("strict", "agent", { model: "large", permissions: "ask" }),
      subagent("plain", "program"),
    ],
    problems: [],
  },
];

/** A side bar whose page has a composer; `saved` is what an earlier page left. */
function composer(saved?: unknown) {
  const asked: FromWebview[] = [];
  const state = { saved };
  const host = {
    postMessage: (request: FromWebview) => asked.push(request),
    getState: () => state.saved,
    setState: (next: unknown) => {
      state.saved = next;
    },
  };
  const page = new Page(host, document);
  page.start();
  const tell = (...messages: readonly ToWebview[]): void => {
    messages.forEach((each) => {
      page.send(each);
    });
    vi.advanceTimersByTime(400);
  };
  tell(...READY);
  const launches = () => asked.filter(({ type }) => type === "launch");
  return { tell, launches, state, asked };
}

function list(label: string): HTMLSelectElement {
  const found = document.querySelector<HTMLSelectElement>(`select[aria-label="${label}"]`);
  if (found === null) {
    throw new Error(`no list ${label} in ${document.body.innerHTML}`);
  }
  return found;
}

function labels(): (string | null)[] {
  return [...document.querySelectorAll(".options select")].map((each) =>
    each.getAttribute("aria-label"),
  );
}

function optionsOf(label: string): string[] {
  return [...list(label).options].map(({ textContent }) => textContent.trim());
}

function choose(select: HTMLSelectElement, value: string): void {
  select.value = value;
  select.dispatchEvent(new Event("change"));
  vi.advanceTimersByTime(400);
}

function picker(): HTMLSelectElement {
  return document.querySelector<HTMLSelectElement>("#subagent") as HTMLSelectElement;
}

function launch(goal: string): void {
  const area = document.querySelector<HTMLTextAreaElement>("#goal") as HTMLTextAreaElement;
  area.value = goal;
  area.dispatchEvent(new InputEvent("input"));
  area.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
  vi.advanceTimersByTime(400);
}

test("only what the agent offers can be chosen, and its own choice comes first", () => {
  const { tell, launches } = composer();
  expect(labels()).toEqual([]);
  tell({ type: "offers", agents: [], offers: { agent: OFFER } });
  expect(labels()).toEqual(["Model", "Mode", "Effort"]);
  expect(optionsOf("Model")).toEqual(["Default model", "small", "large"]);
  tell({ type: "offers", agents: [], offers: { agent: { ...OFFER, modes: [], askingModes: [] } } });
  expect(labels()).toEqual(["Model", "Effort"]);
  choose(picker(), "plain");
  expect(labels()).toEqual([]);
  launch("Go");
  expect(launches()).toEqual([
    { type: "launch", subagentName: "plain", goalPrompt: "Go", queue: false },
  ]);
});

test("what is chosen goes into the launch, for each subagent its own", () => {
  const { tell, launches } = composer();
  tell({ type: "offers", agents: [], offers: { agent: OFFER } });
  choose(list("Effort"), "low");
  choose(picker(), "strict");
  expect(list("Effort").value).toBe("");
  choose(list("Model"), "small");
  choose(list("Mode"), "plan");
  choose(list("Mode"), "");
  choose(list("Launch another subagent too"), "tester");
  expect(document.querySelector("[type=submit]")?.textContent.trim()).toBe("Launch 2");
  choose(list("Launch another subagent too"), "plain");
  launch("Go");
  expect(launches()).toMatchObject([{ subagentName: "strict", also: ["tester", "plain"] }]);
  expect(launches()[0]).toHaveProperty("chosen", {
    strict: { model: "small" },
    tester: { effort: "low" },
  });
});

test("a definition's own values are named, and modes that it rules out are not offered", () => {
  const { tell } = composer();
  tell({ type: "offers", agents: [], offers: { agent: OFFER } });
  expect(optionsOf("Mode")).toEqual(["Default mode", "default", "plan", "auto"]);
  expect(list("Mode").querySelector("optgroup")?.textContent.trim()).toBe("auto");
  choose(picker(), "strict");
  expect(optionsOf("Model")[0]).toBe("large (default)");
  expect(optionsOf("Mode")).toEqual(["Default mode", "default", "plan"]);
});

test("a choice is remembered, and shown even when its agent no longer offers it", () => {
  const first = composer();
  first.tell({ type: "offers", agents: [], offers: { agent: OFFER } });
  choose(list("Model"), "small");
  document.body.innerHTML = `<div id="app"></div><div id="announcements"></div>`;
  const second = composer(first.state.saved);
  expect(labels()).toEqual(["Model"]);
  expect(list("Model").value).toBe("small");
  expect(optionsOf("Model")).toEqual(["Default model", "small"]); // the agent has not run yet
  second.tell({ type: "offers", agents: [], offers: { agent: { ...OFFER, models: ["large"] } } });
  expect(optionsOf("Model")).toEqual(["Default model", "large", "small (not offered)"]);
  expect(list("Model").value).toBe("small");
  second.tell({ type: "offers", agents: [], offers: { agent: OFFER } });
  expect(optionsOf("Model")).toEqual(["Default model", "small", "large"]);
  expect(list("Model").value).toBe("small");
  choose(list("Model"), "");
  launch("Go");
  expect(second.launches()[0]).not.toHaveProperty("chosen");
});

test("a command is taken by key, with what is to be written after it", () => {
  const { tell, launches } = composer();
  const commands = [
    { name: "init", description: "Makes a start." },
    { name: "review", description: "Reviews.", hint: "[branch]" },
  ];
  tell({ type: "offers", agents: [], offers: { agent: { ...OFFER, commands } } });
  const area = document.querySelector<HTMLTextAreaElement>("#goal") as HTMLTextAreaElement;
  const write = (text: string): void => {
    area.value = text;
    area.setSelectionRange(text.length, text.length);
    area.dispatchEvent(new InputEvent("input"));
  };
  const scrolledTo: string[] = [];
  vi.spyOn(Element.prototype, "scrollIntoView").mockImplementation(function (this: Element) {
    scrolledTo.push(this.id);
  });
  write("/");
  area.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowUp", cancelable: true }));
  expect(scrolledTo).toEqual(["suggestion-0", "suggestion-1"]);
  write("/re");
  const box = document.querySelector('[role="listbox"]');
  expect(box?.getAttribute("aria-label")).toBe("Commands");
  expect(box?.textContent.replace(/\s+/gu, " ").trim()).toBe("/review [branch] Reviews.");
  expect(area.getAttribute("aria-activedescendant")).toBe("suggestion-0");
  area.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", cancelable: true }));
  expect(area.value).toBe("/review ");
  expect(launches()).toEqual([]);
});

const FLEET = { labels: ["fleet.name=gpu-1", "region=here"], freeSlots: 3, slots: 8 };

function hint(): string {
  return document.querySelector("#composer-hint")?.textContent ?? "";
}

test("without a cluster no placement is offered, and one chosen before is not sent", () => {
  const { tell, launches } = composer({ goal: "", chosen: { tester: { placement: "ray" } } });
  tell({ type: "fleet" });
  expect(labels()).toEqual([]);
  launch("Go");
  expect(launches()[0]).not.toHaveProperty("chosen");
});

test("a placement is this machine, the cluster, a node or a label, and goes into the launch", () => {
  const { tell, launches } = composer();
  tell({ type: "fleet", fleet: FLEET });
  expect(labels()).toEqual(["Placement"]);
  expect(optionsOf("Placement")).toEqual([
    ...["This machine (default)", "Cluster", "Node gpu-1", "Cluster: region=here"],
  ]);
  expect(hint()).not.toContain("slots");
  choose(list("Placement"), "ray region=here");
  expect(hint()).toContain("Cluster: 3 of 8 slots free.");
  launch("Go");
  expect(launches()[0]).toHaveProperty("chosen", { tester: { placement: "ray region=here" } });
});

test("a definition for the cluster can be launched on this machine", () => {
  const { tell } = composer();
  const placed = [subagent("tester", "agent", { placement: "ray" })];
  tell({ type: "definitions", items: placed, problems: [] }, { type: "fleet", fleet: FLEET });
  expect(optionsOf("Placement")).toEqual([
    ...["Cluster (default)", "This machine", "Node gpu-1", "Cluster: region=here"],
  ]);
  expect(hint()).toContain("3 of 8 slots");
  choose(list("Placement"), "local");
  expect(hint()).not.toContain("slots");
});

test("choosing the cluster asks for its labels, and what keeps it from being used is shown", () => {
  const { tell, asked } = composer();
  const connects = () => asked.filter(({ type }) => type === "connectFleet").length;
  tell({ type: "fleet", fleet: {} });
  expect([optionsOf("Placement"), connects()]).toEqual([["This machine (default)", "Cluster"], 0]);
  choose(list("Placement"), "ray");
  expect(connects()).toBe(1);
  tell({ type: "fleet", fleet: { problem: "no cluster answers at head:1" } });
  expect(hint()).toContain("Can't use the cluster: no cluster answers at head:1.");
  tell({ type: "fleet", fleet: FLEET });
  choose(list("Placement"), "ray region=here");
  expect(connects()).toBe(1);
  tell({ type: "fleet", fleet: { ...FLEET, labels: [] } });
  expect(list("Placement").value).toBe("ray region=here");
  expect(optionsOf("Placement")).toContain("Cluster: region=here (not offered)");
});

test("several subagents are warned about the folder that they share, which those on a cluster do not", () => {
  const { tell } = composer();
  tell({ type: "fleet", fleet: FLEET });
  choose(list("Launch another subagent too"), "strict");
  expect(hint()).toMatch(
    /^Launches 2 subagents in the same folder\. If several edit the same file/u,
  );
  choose(list("Launch another subagent too"), "plain");
  choose(list("Placement"), "ray");
  expect(hint()).toMatch(/^Launches 3 subagents, 2 of them in the same folder\. /u);
  document.querySelector<HTMLElement>('[aria-label="Don\'t launch plain"]')?.click();
  vi.advanceTimersByTime(400);
  expect(hint()).toBe("Launches 2 subagents.");
});

test("a goal for which there is no subagent says so, leads to the remedy and is there afterwards", () => {
  const { tell } = composer();
  const agent = { runner: "agent", title: "Agent" };
  tell(
    { type: "runs", runs: [row({ status: "completed" })] },
    { type: "definitions", items: [], problems: [] },
    { type: "offers", offers: {}, agents: [agent] },
  );
  expect(document.querySelector(".nudge p")?.textContent).toBe("No subagents yet");
  tell({ type: "compose", goal: "Continue: Water the plants" });
  expect(document.querySelector(".nudge p")?.textContent).toBe(
    "Add a subagent to launch your goal.",
  );
  expect(document.activeElement?.textContent.trim()).toBe("Use Agent");
  tell({ type: "definitions", items: [subagent("tester", "agent")], problems: [] });
  expect(document.querySelector<HTMLTextAreaElement>("#goal")?.value).toMatch(/^Continue: Water/);
});

test("a reload right after a launch does not bring back an older goal", () => {
  const { tell, state, asked } = composer();
  tell({ type: "compose", goal: "Water the plants" });
  const goal = document.querySelector<HTMLTextAreaElement>("#goal");
  for (const text of ["Paint", "Paint the fence"]) {
    Object.assign(goal ?? {}, { value: text });
    goal?.dispatchEvent(new InputEvent("input", { bubbles: true }));
    vi.advanceTimersByTime(20);
  }
  goal?.form?.requestSubmit();
  expect(asked.at(-1)).toMatchObject({ type: "launch", goalPrompt: "Paint the fence" });
  expect(state.saved).toMatchObject({ goal: "Paint the fence" });
});
