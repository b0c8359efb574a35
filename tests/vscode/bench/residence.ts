import { readFile, writeFile } from "node:fs/promises";

import type { Browser } from "playwright-core";

/** Watches the resident memory of all renderers of a browser: the panel may share one or have its own. */
export class Residence {
  readonly #browser: Browser;
  readonly #before: number;

  private constructor(browser: Browser, before: number) {
    this.#browser = browser;
    this.#before = before;
  }

  static async start(browser: Browser): Promise<Residence> {
    const pids = await renderers(browser);
    await Promise.all(pids.map((pid) => writeFile(`/proc/${pid}/clear_refs`, "5"))); // the peak begins here
    return new Residence(browser, await sumOf(pids, "VmRSS"));
  }

  /** By how much the memory grew at its peak, and by how much until now, in MB. */
  async growth(): Promise<{ peak: number; now: number }> {
    const pids = await renderers(this.#browser);
    return {
      peak: megabytes((await sumOf(pids, "VmHWM")) - this.#before),
      now: megabytes((await sumOf(pids, "VmRSS")) - this.#before),
    };
  }
}

async function renderers(browser: Browser): Promise<number[]> {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  await session.detach();
  return processInfo.filter(({ type }) => type === "renderer").map(({ id }) => id);
}

/** Add up a field of the processes' status, in KB. */
async function sumOf(pids: readonly number[], field: "VmRSS" | "VmHWM"): Promise<number> {
  const sizes = await Promise.all(pids.map((pid) => sizeOf(pid, field)));
  return sizes.reduce((sum, size) => sum + size, 0);
}

async function sizeOf(pid: number, field: string): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => ""); // it may have ended
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB`, "mu").exec(status)?.[1] ?? 0);
}

function megabytes(kilobytes: number): number {
  return Math.round((kilobytes * 1024) / 1e5) / 10;
}
