// Set-up can be stopped where it is shown, says so once, and continues on request.
import assert from "node:assert/strict";

import { Chat } from "../harness/chat.ts";
import { Session } from "../harness/session.ts";

const session = new Session("cancel", { begins: "at install" });

session.step("set-up offers to cancel it", async (workbench) => {
  await workbench.openSideBar("Subagents");
  await new Chat(workbench).listButton("Cancel").click();
  await cancelled(workbench).waitFor();
  assert.equal(await workbench.toasts.filter({ hasText: "Setup" }).count(), 0);
  assert.equal(await cancelled(workbench).count(), 1, "it is reported once");
});

session.step("keys alone begin it again", async (workbench) => {
  const again = new Chat(workbench).listButton("Try Again");
  await again.focus();
  await workbench.page.keyboard.press("Enter");
  await workbench.ready();
});

function cancelled(workbench: Session["workbench"]) {
  return workbench.sideBarPage.getByText("Setup was cancelled. Try again to continue.");
}
