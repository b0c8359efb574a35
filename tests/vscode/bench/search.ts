/**
 * Measure the search in a conversation of 20 MB: prints one JSON object for a rare word, a common one, and
 * another text when all of it was read. It needs the same set-up as `panel.ts`.
 */
import { join } from "node:path";

import type { Browser } from "playwright-core";

import { Chat } from "../harness/chat.ts";
import { until } from "../harness/waiting.ts";
import type { Workbench } from "../harness/workbench.ts";
import { LONG_TASK, storeLongTask } from "./longTask.ts";
import { Meter } from "./meter.ts";
import { inWindow, print } from "./window.ts";

const LOAD_MS = 180_000;
/** What is searched: a path that one call has, a word of every turn, and a word of the last one. */
const SEARCHES = { rare: "page17.py", common: "whole tree", last: "last page" } as const;

async function measure(browser: Browser, workbench: Workbench, kind: keyof typeof SEARCHES) {
  const chat = new Chat(workbench);
  const field = chat.frame.getByRole("textbox", { name: "Find" });
  const count = chat.frame.locator(".find-count");
  const meter = await Meter.start(workbench, browser);
  await meter.watch(chat.log);
  const begun = performance.now();
  await field.fill(SEARCHES[kind]);
  await until(
    "counted",
    () => count.innerText(),
    (words) => /^\S* ?(?:of )?[\d,]+/u.test(words),
    LOAD_MS,
  );
  const firstCount = Math.round(performance.now() - begun);
  const words = await until("all counted", () => count.innerText(), isWhole, LOAD_MS);
  const whole = Math.round(performance.now() - begun);
  print(kind, { firstCount, whole, words: words.split("\n")[0], ...(await meter.stop()) });
}

/** Whether nothing is left to search: a count up to the limit ends with a plus also then. */
function isWhole(words: string): boolean {
  return /of (?:10,000\+|[\d,]+(?!\+|[\d,]))/u.test(words);
}

let bytes = 0;
await inWindow(
  async (profile) => {
    const root = join(profile.folder, "store");
    bytes = await storeLongTask(root);
    await profile.configure({ "subagentSidecar.storageRoot": root });
  },
  async (workbench, browser) => {
    const chat = new Chat(workbench);
    await workbench.run("Subagents: Show All Workspaces");
    await chat.row(LONG_TASK.title).click();
    await chat.log.getByText(LONG_TASK.lastWords).waitFor({ timeout: LOAD_MS });
    await chat.log.focus();
    await workbench.page.keyboard.press("Control+F");
    print("opened", { bytes });
    for (const kind of ["rare", "common", "last"] as const) {
      await measure(browser, workbench, kind);
    }
  },
);
