import type { Browser, CDPSession, Frame, Locator } from "playwright-core";

import { Residence } from "./residence.ts";
import { longestWork, TRACED } from "./trace.ts";

import type { Workbench } from "../harness/workbench.ts";

/** Times in ms, sizes in MB. */
export interface Figures {
  /** The longest time between two frames of the panel, and how many took more than 50 ms. */
  readonly longestFrame: number;
  readonly slowFrames: number;
  readonly frames: number;
  /** The most processor time that a task took in which the panel's code ran, drawing included. */
  readonly longestWork: number;
  /** The heap of the whole window, the workbench included, after a collection, and its growth. */
  readonly heap: number;
  readonly heapGrowth: number;
  /** By how much the resident memory of the renderers grew, at its peak and after a collection. */
  readonly residentPeak: number;
  readonly residentGrowth: number;
  /** The most nodes that the panel had. */
  readonly nodes: number;
  /** From the click on Cancel until the panel shows that it is on its way, and until it is done. */
  readonly cancelShown?: number;
  readonly cancelled?: number;
}

interface Notes {
  longestFrame: number;
  slowFrames: number;
  frames: number;
  nodes: number;
  clickedAt?: number;
  cancelShown?: number;
  cancelled?: number;
}

/** Watches a page of the extension, from inside and by the browser's own notes. */
export class Meter {
  readonly #browser: Browser;
  readonly #session: CDPSession;
  readonly #heapBefore: number;
  readonly #residence: Residence;
  #frame: Frame | undefined;

  private constructor(
    browser: Browser,
    session: CDPSession,
    heapBefore: number,
    residence: Residence,
  ) {
    this.#browser = browser;
    this.#session = session;
    this.#heapBefore = heapBefore;
    this.#residence = residence;
  }

  static async start(workbench: Workbench, browser: Browser): Promise<Meter> {
    const session = await workbench.page.context().newCDPSession(workbench.page);
    const heapBefore = await heapOf(session);
    await browser.startTracing(workbench.page, { categories: TRACED });
    return new Meter(browser, session, heapBefore, await Residence.start(browser));
  }

  /** Watch the page that shows this. */
  async watch(shown: Locator): Promise<void> {
    const element = await shown.elementHandle();
    this.#frame = (await element.ownerFrame()) ?? undefined;
    await this.#watched.evaluate(watch);
  }

  async stop(): Promise<Figures> {
    const notes = await this.#watched.evaluate(
      () => (globalThis as unknown as { notes: Notes }).notes,
    );
    const { peak: residentPeak } = await this.#residence.growth();
    const trace = (await this.#browser.stopTracing()).toString();
    const heap = await heapOf(this.#session);
    const heapGrowth = heap - this.#heapBefore;
    const { now: residentGrowth } = await this.#residence.growth();
    const resident = { residentPeak, residentGrowth };
    return { ...notes, longestWork: longestWork(trace), heap, heapGrowth, ...resident };
  }

  get #watched(): Frame {
    if (this.#frame === undefined) {
      throw new Error("No page is watched.");
    }
    return this.#frame;
  }
}

async function heapOf(session: CDPSession): Promise<number> {
  await session.send("HeapProfiler.collectGarbage");
  const { usedSize } = await session.send("Runtime.getHeapUsage");
  return Math.round(usedSize / 1e5) / 10;
}

/** Runs in the panel. */
function watch(): void {
  const notes: Notes = { longestFrame: 0, slowFrames: 0, frames: 0, nodes: 0 };
  Object.assign(globalThis, { notes });
  let before = performance.now();
  const frame = (): void => {
    const now = performance.now();
    const took = now - before;
    before = now;
    notes.frames += 1;
    notes.slowFrames += took > 50 ? 1 : 0;
    notes.longestFrame = Math.max(notes.longestFrame, took);
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
  addEventListener(
    "click",
    ({ target, timeStamp }) => {
      if ((target as Element).closest(".cancel") !== null) {
        notes.clickedAt ??= timeStamp;
      }
    },
    true,
  );
  new MutationObserver(() => {
    notes.nodes = Math.max(notes.nodes, document.getElementsByTagName("*").length);
    if (notes.clickedAt === undefined) {
      return;
    }
    const text = document.querySelector(".head")?.textContent ?? "";
    if (text.includes("Cancelling")) {
      notes.cancelShown ??= performance.now() - notes.clickedAt;
    } else if (text.includes("Cancelled")) {
      notes.cancelled ??= performance.now() - notes.clickedAt;
    }
  }).observe(document.body, { childList: true, subtree: true, characterData: true });
}
