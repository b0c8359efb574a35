// Comments on the changes of a run, by keyboard and by mouse, become the next message to its agent.
import assert from "node:assert/strict";

import { seriousFindings } from "../harness/accessible.ts";
import { Chat } from "../harness/chat.ts";
import { Session } from "../harness/session.ts";
import { until } from "../harness/waiting.ts";

const session = new Session("comments", {});

session.step("the result of the example opens its change", async (workbench) => {
  const chat = new Chat(workbench);
  await chat.listButton("Run an Example").click();
  await chat.button(/^Allow Once/).click();
  await chat.ending.getByText("1 file changed").waitFor();
  await chat.button("View All Changes").click();
  await workbench.page
    .locator(".monaco-diff-editor .modified .view-lines")
    .getByText("discount / 100")
    .click();
});

session.step("a comment is added at a line by keyboard", async (workbench) => {
  const { page } = workbench;
  // The palette offers the command once the editor knows which lines take comments.
  const modified = page.locator(".monaco-diff-editor .modified");
  await modified.locator("[class*='comment-range']").first().waitFor({ state: "attached" });
  await modified.locator(".view-lines").getByText("discount / 100").click();
  await workbench.run("Comments: Add Comment on Current Selection");
  await page.locator(".review-widget .comment-form").waitFor();
  await page.keyboard.type("Round the total.");
  await page.keyboard.press("Control+Enter");
  await page.locator(".review-comment", { hasText: "Round the total." }).waitFor();
});

session.step("a reload keeps it, though the editor closes the change", async (workbench) => {
  await workbench.reload();
  await new Chat(workbench).button("View All Changes").click();
  await workbench.page.locator(".review-comment", { hasText: "Round the total." }).waitFor();
});

session.step(
  "Send Comments writes it into the next message, with its file and code",
  async (one) => {
    const chat = new Chat(one);
    await one.page.locator(".editor-actions [aria-label^='Send Comments']").click();
    const text = await until(
      "written",
      () => chat.message.inputValue(),
      (words) => words.includes("Round the total."),
    );
    assert.match(
      text,
      /^Comments on your changes:\n\n`prices\.py`, line \d+:\n> .*discount \/ 100/,
    );
    await one.page.locator(".review-comment").waitFor({ state: "detached" });
    assert.deepEqual(await seriousFindings(one.editorPage), []);
  },
);
