import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";

import type { FrameLocator } from "playwright-core";

const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

/** What is so bad that some people cannot read or use it. */
const SERIOUS = new Set(["serious", "critical"]);

interface Violation {
  readonly id: string;
  readonly impact: string | null;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

/** Have axe check a page of the extension; returns a line for each serious finding. */
export async function seriousFindings(page: FrameLocator): Promise<readonly string[]> {
  const frame = await (await page.locator("body").elementHandle()).ownerFrame();
  if (frame === null) {
    throw new Error("the page is gone");
  }
  await frame.evaluate(await readFile(AXE, "utf8"));
  const violations = await frame.evaluate(async (): Promise<readonly Violation[]> => {
    const { documentElement: root } = document;
    // The side bar's page is transparent: axe would take what is behind it for white.
    const isEditor = document.body.dataset["place"] === "editor";
    root.style.background = `var(--vscode-${isEditor ? "editor" : "sideBar"}-background)`;
    const { axe } = globalThis as unknown as {
      axe: { run(of: Document): Promise<{ violations: readonly Violation[] }> };
    };
    const { violations: found } = await axe.run(document);
    root.style.background = "";
    return found;
  });
  return violations
    .filter(({ impact }) => SERIOUS.has(impact ?? ""))
    .flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary = "" }) =>
        `${id}: ${html.slice(0, 200)} ${failureSummary}`.replaceAll(/\s+/g, " "),
      ),
    );
}
