import assert from "node:assert/strict";

import { Chat } from "./harness/chat.ts";
import { defineFlood, FLOOD, LAST_LINE } from "./harness/flood.ts";
import { Session } from "./harness/session.ts";
import { until } from "./harness/waiting.ts";
import type { Workbench } from "./harness/workbench.ts";

/** However much is said, the panel holds no more elements than this. */
const MOST_NODES = 3_000;
const FLOOD_MS = 90_000;

const session = new Session("flood", { prepare: (profile) => defineFlood(profile) });

session.step("a run of 4 MB ends on the screen with its last line", async (workbench) => {
  const chat = new Chat(workbench);
  await chat.launch(FLOOD, "messages 4");
  await chat.ending.waitFor({ timeout: FLOOD_MS });
  await chat.log.getByText(LAST_LINE).last().waitFor();
  await holdsLittle(workbench);
});

session.step("scrolling back shows what came before", async (workbench) => {
  const { log } = new Chat(workbench);
  const first = async () => Number(/\d+/.exec(await log.locator("h3").first().innerText())?.[0]);
  const began = await first();
  await log.focus();
  const seen = await until(
    "far before the end",
    async () => {
      await log.evaluate((scroller) => {
        scroller.scrollTop = 0;
      });
      return first();
    },
    (now) => now < began - 300,
  );
  assert.ok(seen > 1);
  await holdsLittle(workbench);
});

session.step("a reload comes back to where one reads", async (workbench) => {
  const { log } = new Chat(workbench);
  const heading = log.locator("h3").nth(3);
  await heading.scrollIntoViewIfNeeded();
  const text = await heading.innerText();
  await workbench.reload();
  await new Chat(workbench).log.getByText(text, { exact: true }).waitFor();
});

session.step("the latest is one step away", async (workbench) => {
  const chat = new Chat(workbench);
  await chat.button("Jump to Latest").click();
  await chat.log.getByText(LAST_LINE).last().waitFor();
  await chat.backToList();
});

session.step("1,000 calls end on the screen", async (workbench) => {
  const chat = new Chat(workbench);
  await chat.launch(FLOOD, "calls 1000");
  await chat.ending.waitFor({ timeout: FLOOD_MS });
  await chat.log.getByText("file999.py").first().waitFor();
  await holdsLittle(workbench);
  await chat.backToList();
});

session.step("Cancel works while the words stream in", async (workbench) => {
  const chat = new Chat(workbench);
  await chat.launch(FLOOD, "endless 0");
  await chat.messages.first().waitFor();
  await chat.button("Cancel").click();
  await chat.state("Cancelled").waitFor();
  await holdsLittle(workbench);
});

async function holdsLittle(workbench: Workbench): Promise<void> {
  const nodes = await new Chat(workbench).frame.locator("body *").count();
  assert.ok(nodes < MOST_NODES, `${nodes} elements`);
}
