import assert from "node:assert/strict";

import { defineFlood, FLOOD, LAST_LINE } from "../harness/agents/flood.ts";
import { Chat } from "../harness/chat.ts";
import { Session } from "../harness/session.ts";
import { until } from "../harness/waiting.ts";
import { WINDOW, type Workbench } from "../harness/workbench.ts";

/** However much is printed, the panel holds no more elements than this. */
const MOST_NODES = 3_000;
const FLOOD_MS = 90_000;
/** The height of a window on a large screen, in CSS pixels. */
const TALL = 1_400;
/** By how much a reader scrolls up, and how often. */
const BY = 150;
const ROUNDS = 10;

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
  // In one step, because earlier parts may load meanwhile and make another heading the fourth.
  const text = await log
    .locator("h3")
    .nth(3)
    .evaluate(async (heading) => {
      const stopped = new Promise((resolve) => {
        heading.closest("[role=log]")?.addEventListener("scrollend", resolve, { once: true });
      });
      heading.scrollIntoView();
      await stopped;
      return heading.textContent;
    });
  await workbench.reload();
  await new Chat(workbench).log.getByText(text, { exact: true }).waitFor();
});

session.step("the latest is one step away", async (workbench) => {
  const chat = new Chat(workbench);
  await chat.button("Jump to Latest").click();
  await chat.log.getByText(LAST_LINE).last().waitFor();
});

session.step("1,000 calls end on the screen", async (workbench) => {
  const chat = new Chat(workbench);
  await chat.launch(FLOOD, "calls 1000");
  await chat.ending.waitFor({ timeout: FLOOD_MS });
  await chat.log.getByText("file999.py").first().waitFor();
  await holdsLittle(workbench);
});

session.step("a tall panel is filled with calls, whatever their outputs", async (one) => {
  const chat = new Chat(one);
  await one.page.setViewportSize({ ...WINDOW, height: TALL });
  await chat.launch(FLOOD, "reads 60");
  await chat.ending.waitFor({ timeout: FLOOD_MS });
  await chat.log.getByText(LAST_LINE).last().waitFor();
  await until(
    "full, and at the end",
    () => placeOf(chat),
    ({ room, left, following }) => room > 0 && left <= 1 && following,
  );
});

session.step("its end stays in view, however tall it is", async (one) => {
  const chat = new Chat(one);
  for (const height of [WINDOW.height, TALL, WINDOW.height]) {
    await one.page.setViewportSize({ ...WINDOW, height });
    await until(
      "at the end",
      () => placeOf(chat),
      ({ left, following }) => left <= 1 && following,
    );
  }
});

session.step("its end stays in view, however often and fast its height changes", async (one) => {
  const chat = new Chat(one);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const height of [TALL, WINDOW.height]) {
      await one.page.setViewportSize({ ...WINDOW, height });
    }
  }
  await until(
    "at the end",
    () => placeOf(chat),
    ({ left, following }) => left <= 1 && following,
  );
});

session.step("who scrolls up in a stream keeps their place", async (one) => {
  const chat = new Chat(one);
  await chat.launch(FLOOD, "endless 0");
  for (let round = 0; round < ROUNDS; round += 1) {
    await until(
      "long enough",
      () => placeOf(chat),
      ({ room }) => room > 2 * BY,
    );
    const { item, top } = await placeOf(chat, BY);
    await chat.button("Jump to Latest").waitFor();
    const { tops } = await placeOf(chat);
    assert.equal(tops[item], top, `round ${round}: ${item} of ${JSON.stringify(tops)}`);
    await chat.button("Jump to Latest").click();
  }
  await chat.button("Cancel").click();
  await chat.state("Cancelled").waitFor();
});

session.step("Cancel works while the words stream in", async (workbench) => {
  const chat = new Chat(workbench);
  await chat.launch(FLOOD, "endless 0");
  await chat.messages.first().waitFor();
  await chat.button("Cancel").click();
  await chat.state("Cancelled").waitFor();
  await holdsLittle(workbench);
});

/** Where the reader is after scrolling up by some pixels; items by their numbers. */
async function placeOf(chat: Chat, by = 0) {
  return chat.log.evaluate((log, pixels) => {
    log.scrollTop -= pixels;
    const view = log.getBoundingClientRect();
    const items = [...log.querySelectorAll<HTMLElement>("[data-at]")];
    const seen = items.filter((item) => item.getBoundingClientRect().bottom > view.top);
    const tops = seen.map((item) => {
      return [item.dataset["at"] ?? "", Math.round(item.getBoundingClientRect().top)] as const;
    });
    const [[item, top] = ["", 0]] = tops;
    const room = log.scrollHeight - log.clientHeight;
    const following = log.ownerDocument.querySelector(".jump") === null;
    const left = Math.round(room - log.scrollTop);
    return { item, top, tops: Object.fromEntries(tops), room, left, following };
  }, by);
}

async function holdsLittle(workbench: Workbench): Promise<void> {
  const nodes = await new Chat(workbench).frame.locator("body *").count();
  assert.ok(nodes < MOST_NODES, `${nodes} elements`);
}
