/**
 * Measure the chat panel in a real workbench: `panel.ts` prints one JSON object a kind of flood.
 *
 * Set up as by `tests/vscode/run`: a packaged extension and an installed host.
 */
import type { Browser } from "playwright-core";

import { defineFlood, FLOOD, LAST_LINE } from "../harness/agents/flood.ts";
import { Chat } from "../harness/chat.ts";
import { until } from "../harness/waiting.ts";
import type { Workbench } from "../harness/workbench.ts";
import { Meter } from "./meter.ts";
import { inWindow, print } from "./window.ts";

/** What the agent is asked for, by kinds of flood; see `flood.py`. */
const GOALS = {
  messages: "messages 20",
  message: "message 20",
  calls: "calls 4000",
  emphasis: "emphasis 20000",
  code: "code 20000",
  table: "table 2000",
  endless: "endless 0",
} as const;
const KINDS = ["messages", "message", "calls", "emphasis", "code", "table", "endless"] as const;
const FLOOD_MS = 300_000;
/** How long an endless flood runs before it is cancelled. */
const ENDLESS_MS = 5_000;

type Kind = (typeof KINDS)[number];

async function measure(browser: Browser, workbench: Workbench, kind: Kind): Promise<void> {
  const chat = new Chat(workbench);
  const meter = await Meter.start(workbench, browser);
  await chat.launch(FLOOD, GOALS[kind]);
  await meter.watch(chat.log);
  if (kind === "endless") {
    await workbench.page.waitForTimeout(ENDLESS_MS);
    await chat.button("Cancel").click({ timeout: FLOOD_MS });
    await chat.state("Cancelled").waitFor({ timeout: FLOOD_MS });
  } else {
    await chat.ending.waitFor({ timeout: FLOOD_MS });
    const last = chat.log.getByText(LAST_LINE).last();
    await last.waitFor({ timeout: FLOOD_MS });
  }
  print(kind, await meter.stop());
}

await inWindow(defineFlood, async (workbench, browser) => {
  const chosen = process.argv.slice(2);
  for (const kind of KINDS.filter((each) => chosen.length === 0 || chosen.includes(each))) {
    await until(
      "idle",
      () => new Chat(workbench).picker.count(),
      (count) => count === 1,
    );
    await measure(browser, workbench, kind);
  }
});
