import type { Browser } from "playwright-core";

import type { Workbench } from "../harness/workbench.ts";
import { MARKED, workBetween } from "./trace.ts";

/** What a window does after its start is not the panel's. */
const SETTLE_MS = 10_000;

/** Times in ms. */
export interface FirstPaint {
  /** The processor time of the window from the click that opens the view until it is drawn first. */
  readonly firstPaint: number;
  /** The same until its first rows are drawn: the extension and its sidecar start meanwhile. */
  readonly firstRows: number;
}

/** Open the view for the first time in a window that is reloaded, and measure until it shows rows. */
export async function measureFirstPaint(
  workbench: Workbench,
  browser: Browser,
): Promise<FirstPaint> {
  const { page } = workbench;
  await workbench.openSideBar("Explorer");
  await page.context().addInitScript(mark);
  await workbench.reload();
  await page.waitForTimeout(SETTLE_MS);
  await browser.startTracing(page, { categories: MARKED });
  await page.locator('.activitybar a.action-label[aria-label^="Subagents"]').click();
  await workbench.sideBarPage.locator("#list .agent").first().waitFor();
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done))));
  const trace = (await browser.stopTracing()).toString();
  return {
    firstPaint: workBetween(trace, "bench-opens", "bench-page"),
    firstRows: workBetween(trace, "bench-opens", "bench-rows"),
  };
}

/** Runs in every page before its own code. */
function mark(): void {
  if (self === top) {
    addEventListener("pointerdown", () => performance.mark("bench-opens"), true);
    return;
  }
  const note = (selector: string, name: string): void => {
    // The editor writes the page into a frame, and so removes what began in there.
    const frame = document.querySelector<HTMLIFrameElement>("iframe#active-frame");
    if ((frame?.contentDocument?.querySelector(selector) ?? null) === null) {
      requestAnimationFrame(() => {
        note(selector, name);
      });
    } else {
      requestAnimationFrame(() => setTimeout(() => performance.mark(name))); // drawn by then
    }
  };
  note("#app .page", "bench-page");
  note("#list .agent", "bench-rows");
}
