import { expect, test, vi } from "vitest";

import { Reports } from "../../../src/views/reports.js";
import { closeDocument, Uri, workspace } from "../../vscode.js";

const uri = Uri.from({ scheme: "subagent-report", path: "/Fleet.md", query: "" });

interface Writing {
  resolve(text: string): void;
  reject(reason: Error): void;
}

/** A report whose writings end when the test says so. */
class Slow {
  readonly writings: Writing[] = [];
  readonly reports = new Reports({ Fleet: () => this.#write() }, { Fleet: "Asking…" });

  #write(): Promise<string> {
    return new Promise((resolve, reject) => {
      this.writings.push({ resolve, reject });
    });
  }

  async end(): Promise<void> {
    this.reports.dispose();
    closeDocument(await workspace.openTextDocument(uri));
  }
}

/** Wait until everything has run that is ready to run. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

async function untilShown(text: string): Promise<void> {
  await vi.waitFor(async () => {
    expect((await workspace.openTextDocument(uri)).getText()).toContain(text);
  });
}

test("a report that takes long opens at once, and then shows what was written", async () => {
  const slow = new Slow();
  await slow.reports.showRendered("Fleet");
  await untilShown("Asking…");
  slow.writings[0]?.resolve("# Nodes");
  await untilShown("# Nodes");
  expect(slow.writings).toHaveLength(1);
  await slow.end();
});

test("a report that takes long says why it failed", async () => {
  const slow = new Slow();
  await slow.reports.showRendered("Fleet");
  slow.writings[0]?.reject(new Error("the sidecar is not running"));
  await untilShown("Can't create this report: the sidecar is not running");
  await slow.end();
});

test("a slow report that the editor restores is written", async () => {
  const slow = new Slow();
  await workspace.openTextDocument(uri);
  slow.writings[0]?.resolve("# Nodes");
  await untilShown("# Nodes");
  await slow.end();
});

test("a slow report that is shown again asks again, and shows the latest answer", async () => {
  const slow = new Slow();
  await slow.reports.showRendered("Fleet");
  slow.writings[0]?.resolve("# First");
  await untilShown("# First");
  await slow.reports.showRendered("Fleet");
  await untilShown("Asking…");
  await slow.reports.showRendered("Fleet");
  slow.writings[2]?.resolve("# Third");
  await untilShown("# Third");
  slow.writings[1]?.resolve("# Second");
  await settled();
  await untilShown("# Third");
  await slow.end();
});

test("a slow report whose page was closed is asked for again when it is opened", async () => {
  const slow = new Slow();
  await slow.reports.showRendered("Fleet");
  closeDocument(await workspace.openTextDocument(uri));
  slow.writings[0]?.resolve("# Old");
  await settled();
  await slow.reports.showRendered("Fleet");
  await untilShown("Asking…");
  slow.writings[1]?.resolve("# New");
  await untilShown("# New");
  await slow.end();
});
