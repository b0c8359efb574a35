import type { Browser } from "playwright-core";

import { Host } from "../harness/host.ts";
import { VSIX } from "../harness/places.ts";
import { Profile } from "../harness/profile.ts";
import { launchBrowser, Workbench } from "../harness/workbench.ts";

/** Open a new profile's window, call `body` once its sidecar answers, and remove everything. */
export async function inWindow(
  prepare: (profile: Profile) => Promise<void>,
  body: (workbench: Workbench, browser: Browser) => Promise<void>,
): Promise<void> {
  const profile = await Profile.create();
  await prepare(profile);
  await profile.install(VSIX);
  await profile.borrowEnvironment();
  const host = await Host.start(profile, { trustsAll: true, opensFolder: true });
  const browser = await launchBrowser();
  try {
    const workbench = await Workbench.open(browser, host.url, "bench");
    await workbench.ready();
    await profile.lendEnvironment();
    await body(workbench, browser);
  } finally {
    await browser.close();
    await host.stop();
    await profile.remove();
  }
}

/** Print the figures of one kind, as a line of JSON. */
export function print(kind: string, figures: object): void {
  process.stdout.write(`${JSON.stringify({ kind, ...figures })}\n`);
}
