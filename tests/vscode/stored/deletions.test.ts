import assert from "node:assert/strict";
import { mkdir, readFile, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { seriousFindings } from "../harness/accessible.ts";
import { Chat } from "../harness/chat.ts";
import type { Profile } from "../harness/profile.ts";
import { Session } from "../harness/session.ts";
import { until } from "../harness/waiting.ts";

/** Claude Code deletes a session after 30 days. */
const AGE_MS = 28 * 86_400_000;

/** Leave a session of Claude Code that changed last four weeks ago. */
async function addOldSession(profile: Profile): Promise<void> {
  const folder = join(profile.folder, ".claude/projects/-house");
  const sessionId = "0199c3a4-0000-4000-8000-000000000001";
  const at = new Date(Date.now() - AGE_MS);
  const common = { sessionId, cwd: "/house", timestamp: at.toISOString(), isSidechain: false };
  const asked = { role: "user", content: "Mend the roof" };
  const answered = {
    ...{ id: "m1", role: "assistant", model: "claude-opus-4-8", stop_reason: "end_turn" },
    content: [{ type: "text", text: "It is mended." }],
    usage: { input_tokens: 5, output_tokens: 4 },
  };
  const records = [
    { ...common, type: "user", uuid: "u1", parentUuid: null, message: asked },
    { ...common, type: "assistant", uuid: "u2", parentUuid: "u1", message: answered },
  ];
  await mkdir(folder, { recursive: true });
  const file = join(folder, `${sessionId}.jsonl`);
  await writeFile(file, records.map((record) => `${JSON.stringify(record)}\n`).join(""));
  await utimes(file, at, at);
}

const session = new Session("deletions", { prepare: addOldSession });

session.step("a line says what Claude Code will delete soon", async (workbench) => {
  const { list } = new Chat(workbench);
  await list.getByText("1 session will be deleted within 3 days").waitFor();
  await list.getByRole("button", { name: "Hide for Today" }).waitFor();
  const tooltip = workbench.page.locator(
    '.statusbar-item [aria-label*="1 session will be deleted"]',
  );
  await tooltip.waitFor();
  assert.deepEqual(await seriousFindings(workbench.sideBarPage), []);
});

session.step("keys alone keep copies from now on", async (workbench) => {
  const { list } = new Chat(workbench);
  await workbench.run("Subagents: Focus on Subagents View");
  await workbench.tabTo(list.getByRole("button", { name: "Keep Copies" }));
  await workbench.page.keyboard.press("Enter");
  await list.getByText("1 session will be deleted").waitFor({ state: "hidden" });
  await workbench.toast("subagentSidecar.history.keep");
  const settings = join(session.profile.folder, "data/Machine/settings.json");
  await until(
    "kept",
    () => readFile(settings, "utf8"),
    (text) => /"subagentSidecar\.history\.keep": \[\s*"claude"/.test(text),
  );
});
