/**
 * Measure the chat panel with much that is stored: `stored.ts ROOT` prints one JSON object each for the first
 * paint, the list of the tasks in ROOT, and a task of 20 MB. It needs the same set-up as `panel.ts`.
 */
import { join } from "node:path";

import type { Browser, Locator } from "playwright-core";

import { Chat } from "../harness/chat.ts";
import { SMALL_TASK, storeSmallTask } from "../harness/history.ts";
import { until } from "../harness/waiting.ts";
import type { Workbench } from "../harness/workbench.ts";
import { measureFirstPaint } from "./firstPaint.ts";
import { LONG_TASK, storeLongTask } from "./longTask.ts";
import { Meter } from "./meter.ts";
import { inWindow, print } from "./window.ts";

const LISTED = 20_000;
const LOAD_MS = 120_000;
/** How often the wheel turns, and by how many CSS pixels. */
const TURNS = 100;
const BY = 600;
/** How often the list is drawn elsewhere, as by the bar at its side. */
const JUMPS = 30;

/** Scroll to the end until all rows are loaded. */
async function load(workbench: Workbench, browser: Browser): Promise<void> {
  const scroller = new Chat(workbench).list.locator("#list");
  const meter = await Meter.start(workbench, browser);
  await meter.watch(scroller);
  const rows = await until(
    "all loaded",
    () => jump(scroller, 1),
    (size) => size >= LISTED,
    LOAD_MS,
  );
  print("load", { rows, ...(await meter.stop()) });
}

/** Scroll through all rows. */
async function list(workbench: Workbench, browser: Browser): Promise<void> {
  const scroller = new Chat(workbench).list.locator("#list");
  const meter = await Meter.start(workbench, browser);
  await meter.watch(scroller);
  for (let step = 0; step < JUMPS; step += 1) {
    await jump(scroller, ((step * 7) % JUMPS) / JUMPS);
  }
  await jump(scroller, 0);
  await wheel(workbench, scroller, BY);
  print("list", await meter.stop());
}

/** Store another task while all rows are loaded, and wait until it is listed. */
async function refresh(workbench: Workbench, browser: Browser, root: string): Promise<void> {
  const chat = new Chat(workbench);
  const scroller = chat.list.locator("#list");
  await jump(scroller, 0);
  const meter = await Meter.start(workbench, browser);
  await meter.watch(scroller);
  await storeSmallTask(root);
  await chat.row(SMALL_TASK.title).waitFor({ timeout: LOAD_MS });
  print("refresh", await meter.stop());
}

async function transcript(workbench: Workbench, browser: Browser, bytes: number): Promise<void> {
  const chat = new Chat(workbench);
  await jump(chat.list.locator("#list"), 0);
  const meter = await Meter.start(workbench, browser);
  await chat.row(LONG_TASK.title).click();
  await chat.log.getByText(LONG_TASK.lastWords).waitFor({ timeout: LOAD_MS });
  await meter.watch(chat.log);
  await wheel(workbench, chat.log, -BY);
  await chat.turns.press("Home");
  await chat.log.getByText("Page 0", { exact: true }).waitFor({ timeout: LOAD_MS });
  await wheel(workbench, chat.log, BY);
  print("transcript", { bytes, ...(await meter.stop()) });
}

/** Scroll to a part of the height; returns how many lines the list has. */
function jump(scroller: Locator, part: number): Promise<number> {
  return scroller.evaluate(async (element, to) => {
    element.scrollTop = to * (element.scrollHeight - element.clientHeight);
    await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
    return Number(element.querySelector(".line")?.ariaSetSize ?? 0);
  }, part);
}

/** Turn the wheel over an element, one turn a frame. */
async function wheel({ page }: Workbench, over: Locator, by: number): Promise<void> {
  await over.hover();
  for (let turn = 0; turn < TURNS; turn += 1) {
    await page.mouse.wheel(0, by);
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(done)));
  }
}

const [root] = process.argv.slice(2);
if (root === undefined) {
  throw new Error("Name a root with stored tasks: stored.ts ROOT");
}
let [bytes, ownRoot] = [0, ""];
await inWindow(
  async (profile) => {
    ownRoot = join(profile.folder, "store");
    bytes = await storeLongTask(ownRoot);
    await profile.configure({
      "subagentSidecar.storageRoot": ownRoot,
      "subagentSidecar.foreignRoots": [root],
    });
  },
  async (workbench, browser) => {
    await workbench.run("Subagents: Show All Workspaces");
    await new Chat(workbench).rows.first().waitFor({ timeout: LOAD_MS });
    print("paint", await measureFirstPaint(workbench, browser));
    await load(workbench, browser);
    await list(workbench, browser);
    await refresh(workbench, browser, ownRoot);
    await transcript(workbench, browser, bytes);
  },
);
