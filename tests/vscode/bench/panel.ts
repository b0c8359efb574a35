/**
 * Measure the chat panel in a real workbench: `panel.ts` prints one JSON object a kind of flood.
 *
 * Set up as by `tests/vscode/run`: a packaged extension and an installed host.
 */
import type { Browser } from "playwright-core";

import { Chat } from "../harness/chat.ts";
import { defineFlood, FLOOD, LAST_LINE } from "../harness/flood.ts";
import { Host } from "../harness/host.ts";
import { VSIX } from "../harness/places.ts";
import { Profile } from "../harness/profile.ts";
import { until } from "../harness/waiting.ts";
import { launchBrowser, Workbench } from "../harness/workbench.ts";
import { Meter } from "./meter.ts";

/** What the agent is asked for, by kinds of flood; see `flood.py`. */
const GOALS = {
  messages: "messages 20",
  message: "message 20",
  calls: "calls 4000",
  emphasis: "emphasis 20000",
  table: "table 2000",
  endless: "endless 0",
} as const;
const KINDS = ["messages", "message", "calls", "emphasis", "table", "endless"] as const;
const FLOOD_MS = 300_000;
/** How long an endless flood runs before it is cancelled. */
const ENDLESS_MS = 5_000;

type Kind = (typeof KINDS)[number];

async function measure(browser: Browser, workbench: Workbench, kind: Kind): Promise<void> {
  const chat = new Chat(workbench);
  const meter = await Meter.start(workbench, browser);
  await chat.launch(FLOOD, GOALS[kind]);
  await meter.watch(chat);
  if (kind === "endless") {
    await workbench.page.waitForTimeout(ENDLESS_MS);
    await chat.button("Cancel").click({ timeout: FLOOD_MS });
    await chat.state("Cancelled").waitFor({ timeout: FLOOD_MS });
  } else {
    await chat.ending.waitFor({ timeout: FLOOD_MS });
    const last = chat.log.getByText(LAST_LINE).last();
    await last.waitFor({ timeout: FLOOD_MS });
  }
  const figures = await meter.stop();
  process.stdout.write(`${JSON.stringify({ kind, ...figures })}\n`);
}

const profile = await Profile.create();
await defineFlood(profile);
await profile.install(VSIX);
await profile.borrowEnvironment();
const host = await Host.start(profile, { trustsAll: true, opensFolder: true });
const browser = await launchBrowser();
try {
  const workbench = await Workbench.open(browser, host.url, "bench");
  await workbench.ready();
  await profile.lendEnvironment();
  const chosen = process.argv.slice(2);
  for (const kind of KINDS.filter((each) => chosen.length === 0 || chosen.includes(each))) {
    await until(
      "idle",
      () => new Chat(workbench).picker.count(),
      (count) => count === 1,
    );
    await measure(browser, workbench, kind);
  }
} finally {
  await browser.close();
  await host.stop();
  await profile.remove();
}
