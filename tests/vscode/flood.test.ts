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

session.step("calls with a long output fill the panel and keep their place", async (workbench) => {
  await scrollsSteadily(workbench, "reads 120", 60);
});

session.step("messages that show little keep their place", async (workbench) => {
  await scrollsSteadily(workbench, "links 400", 300);
});

session.step("Cancel works while the words stream in", async (workbench) => {
  const chat = new Chat(workbench);
  await chat.launch(FLOOD, "endless 0");
  await chat.messages.first().waitFor();
  await chat.button("Cancel").click();
  await chat.state("Cancelled").waitFor();
  await holdsLittle(workbench);
});

/** Scroll back to before a part; meanwhile nothing moves but what the reader moves. */
async function scrollsSteadily(workbench: Workbench, goal: string, part: number): Promise<void> {
  const chat = new Chat(workbench);
  await chat.launch(FLOOD, goal);
  await chat.ending.waitFor({ timeout: FLOOD_MS });
  await chat.log.getByText(LAST_LINE).last().waitFor();
  await until(
    "more than fits",
    () => chat.log.evaluate(({ scrollHeight, clientHeight }) => scrollHeight / clientHeight),
    (screens) => screens > 1.5,
  );
  let reached = Infinity;
  await until(
    `part ${part}`,
    async () => {
      const { first, moved } = await chat.log.evaluate(stepBack);
      assert.ok(first <= reached, `part ${first} after part ${reached}`);
      assert.ok(Math.abs(moved) <= 1, `part ${first} moved by ${moved} px`);
      reached = first;
      return first;
    },
    (now) => now < part,
    FLOOD_MS,
  );
  await holdsLittle(workbench);
  await chat.backToList();
}

/** Runs in the panel: scroll up a bit, and see how far the first part in view moves by itself. */
async function stepBack(scroller: HTMLElement): Promise<{ first: number; moved: number }> {
  const parts = () => [...scroller.querySelectorAll<HTMLElement>(".message h3, .tool-subject")];
  const { top: viewTop } = scroller.getBoundingClientRect();
  scroller.scrollTop -= 200;
  const part = parts().find((each) => each.getBoundingClientRect().top >= viewTop);
  const top = part?.getBoundingClientRect().top ?? 0;
  for (let frame = 0; frame < 6; frame += 1) {
    await new Promise(requestAnimationFrame);
  }
  const again = parts().find(({ textContent }) => textContent === part?.textContent);
  const number = Number(/\d+/.exec(part?.textContent ?? "")?.[0] ?? "Infinity"); // else it is below all
  return { first: number, moved: (again?.getBoundingClientRect().top ?? 0) - top };
}

async function holdsLittle(workbench: Workbench): Promise<void> {
  const nodes = await new Chat(workbench).frame.locator("body *").count();
  assert.ok(nodes < MOST_NODES, `${nodes} elements`);
}
