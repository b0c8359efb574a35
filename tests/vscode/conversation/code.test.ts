// Code in messages has colors, and goes where the cursor was.
import assert from "node:assert/strict";
import { symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { defineScripted, SCRIPTED, SCRIPTS_RUNNER } from "../harness/agents/scripted.ts";
import { Chat } from "../harness/chat.ts";
import { storeTexts } from "../harness/history.ts";
import { Probe } from "../harness/probe.ts";
import { Session } from "../harness/session.ts";
import { THEMES, useTheme } from "../harness/themes.ts";
import { until } from "../harness/waiting.ts";
import type { Workbench } from "../harness/workbench.ts";

const TASK = { id: "3c9a5d17-64be-4f0a-9a21-5b7c8d9e0f12", title: "Explain the discount" };
const FILE = "prices.py";
const PYTHON = `"""Prices."""
def total(items: list[int]) -> int:
    # The discount is for all.
    return sum(items) * 9 // 10`;
const TYPESCRIPT = `export async function total(items: number[]): Promise<number> {
  const sum = items.reduce((a, b) => a + b, 0); // in cents
  return sum > 100 ? Math.round(sum * 0.9) : sum;
}`;
const DIFF = `@@ -1,2 +1,2 @@
 def total(items):
-    return sum(items)
+    return sum(items) * 9 // 10`;

/** A chart of 60 × 24 pixels. */
const CHART =
  "iVBORw0KGgoAAAANSUhEUgAAADwAAAAYCAIAAAApowkFAAAAPUlEQVR42u3OsQkAIAwAwYztiNbB0mHsbCUgiHDw/V/0nN8V0NDQ0NDQe9bGMWhoaGjoOvraDBoaGvopegGXAqUl+owfhQAAAABJRU5ErkJggg==";

/** Another one, of 40 × 24 pixels. */
const REDRAWN =
  "iVBORw0KGgoAAAANSUhEUgAAACgAAAAYCAIAAAAH5iiXAAAAKElEQVR42mMwSDgwIIhh1OJRi0ctHrV41OJRi0ctHrV41OJRi4ePxQAiDuw9Ri5QtAAAAABJRU5ErkJggg==";

const session = new Session("code", {
  prepare: async (profile) => {
    const storageRoot = join(profile.folder, "store");
    const blocks = [`\`\`\`python\n${PYTHON}\n\`\`\``, `\`\`\`ts\n${TYPESCRIPT}\n\`\`\``];
    const charts = [
      `![In the message](data:image/png;base64,${CHART})`,
      `![In the workspace](${join(profile.workspace, "chart.png")})`,
      "![On the web](https://example.org/chart.png)",
      `![Linked](${join(profile.workspace, "link.png")})`,
    ];
    const answer = [
      "In Python:",
      ...blocks,
      "As a change:",
      `\`\`\`diff\n${DIFF}\n\`\`\``,
      ...charts,
    ];
    await writeFile(join(profile.workspace, "chart.png"), Buffer.from(CHART, "base64"));
    const outside = join(profile.folder, "outside.png");
    await writeFile(outside, Buffer.from(CHART, "base64"));
    await symlink(outside, join(profile.workspace, "link.png"));
    await storeTexts(storageRoot, TASK.id, [TASK.title, answer.join("\n\n")], "completion_result");
    await profile.addFile(FILE, "# Here:\n");
    await defineScripted(profile);
    await profile.configure({
      "subagentSidecar.storageRoot": storageRoot,
      "subagentSidecar.runners": { scripts: SCRIPTS_RUNNER },
    });
    await Probe.install(profile);
  },
});

session.step("without an open file, Insert at Cursor says what to do", async (workbench) => {
  const chat = new Chat(workbench);
  await chat.listButton("Show 1 task of other workspaces").click();
  await chat.row(TASK.title).click();
  await chat.button("Insert the code at the cursor").first().click();
  await workbench.toast(/^No file is open to insert the code into/);
  await workbench.run("Notifications: Clear All Notifications");
});

session.step("code has colors, in every theme", async (workbench) => {
  const probe = new Probe(session.profile);
  for (const theme of THEMES) {
    await useTheme(probe, workbench, theme, [workbench.editorPage]);
    const colors = await until(
      "colors",
      () => colorsOf(workbench),
      (found) => found.length === 7,
    );
    assert.ok(new Set(colors).size >= 5, `${theme.name}: ${colors.join()}`);
    await workbench.picture(`code-${theme.name}`);
  }
});

session.step(
  "images of the message and of the workspace are shown, none of the web and of elsewhere",
  async (workbench) => {
    const page = workbench.editorPage;
    const pictures = page.locator(".markdown img");
    const widths = await until(
      "pictures",
      () =>
        pictures.evaluateAll((found) =>
          found.map((each) => (each as HTMLImageElement).naturalWidth),
        ),
      (found) => found.length === 2 && found.every((width) => width === 60),
    );
    assert.equal(widths.length, 2);
    assert.ok(await pictures.first().isVisible());
    await pictures.last().scrollIntoViewIfNeeded();
    await workbench.picture("images");
    await page.getByRole("link", { name: "On the web" }).waitFor();
    await page.getByRole("button", { name: "In the workspace" }).click();
    await workbench.page.getByRole("tab", { name: "chart.png" }).waitFor();
  },
);

session.step("code goes where the cursor was, also by keys", async (workbench) => {
  const { page } = workbench;
  const chat = new Chat(workbench);
  await new Probe(session.profile).run(
    "await vscode.window.showTextDocument(vscode.Uri.file(given));",
    join(session.profile.workspace, FILE),
  );
  await workbench.focusedEditor.waitFor();
  await page.keyboard.press("Control+End");
  await page.locator(".tab", { hasText: TASK.title }).click();
  await chat.log.focus();
  await workbench.tabTo(chat.button("Insert the code at the cursor").first());
  await page.keyboard.press("Enter");
  await page.locator(".view-lines", { hasText: "The discount is for all." }).waitFor();
  await workbench.focusedEditor.waitFor();
  await page.keyboard.press("Control+Z");
  await page
    .locator(".view-lines", { hasText: "The discount is for all." })
    .waitFor({ state: "detached" });
});

session.step("an image that is written again is shown so, on its own line", async (workbench) => {
  const chat = new Chat(workbench);
  const pictures = chat.log.locator(".markdown img");
  const widths = () =>
    pictures.evaluateAll((found) => found.map((each) => (each as HTMLImageElement).naturalWidth));
  await chat.launchScript(SCRIPTED, [
    'say "Before: ![drawn](chart.png)"',
    "run 'echo drawing'",
    'say "After: ![drawn](chart.png)"',
  ]);
  await chat.question("echo drawing").waitFor();
  await pictures.waitFor();
  await writeFile(join(session.profile.workspace, "chart.png"), Buffer.from(REDRAWN, "base64"));
  await chat.button(/^Reject/).click();
  await until("both pictures", widths, (found) => found.join() === "60,40");
  const starts = await chat.log
    .locator(".markdown p:has(img), .markdown img")
    .evaluateAll((found) => found.map((each) => each.getBoundingClientRect().left));
  assert.equal(new Set(starts).size, 1, starts.join());
  await workbench.picture("image-again");
});

/** The colors of all kinds that are in use in the conversation. */
function colorsOf(workbench: Workbench): Promise<string[]> {
  return workbench.editorPage
    .locator("pre code")
    .first()
    .evaluate((code) =>
      [...CSS.highlights]
        .filter(([, ranges]) => ranges.size > 0)
        .map(([name]) => getComputedStyle(code, `::highlight(${name})`).color),
    );
}
