import { expect, test, vi } from "vitest";

import { pickTaskOfFile } from "../../../../src/commands/history/touchedFile.js";
import type { ByFileParams, FileTask } from "../../../../src/protocol.js";
import type { SubagentService } from "../../../../src/service/service.js";
import { shown } from "../../../vscode.js";

const FILE = "/house/src/roof.py";
const TASK: FileTask = {
  taskId: "t1",
  root: "/root",
  title: "Mend the roof",
  status: "completed",
  file: { path: "src/roof.py", actions: ["read", "edited"] },
};

/** A sidecar whose tasks touched files of this path only. */
function opened(path: string) {
  const asked: string[] = [];
  const service = {
    request: (_: string, params: ByFileParams) => {
      asked.push(params.path);
      const items = params.path === path ? [TASK] : [];
      return Promise.resolve({ items, matched: items.length, revision: 1 });
    },
  } as unknown as SubagentService;
  const chosen = pickTaskOfFile(service, FILE);
  const { pick } = shown;
  if (pick === undefined) {
    throw new Error("no quick pick was shown");
  }
  const filled = () =>
    vi.waitFor(() => {
      expect([pick.busy, pick.items.length > 0]).toEqual([false, true]);
    });
  return { asked, chosen, pick, filled };
}

test("the tasks that touched a file are listed with what they did to it", async () => {
  const { pick, chosen, filled } = opened(FILE);
  await filled();
  expect(pick.items[0]).toMatchObject({ label: "Mend the roof", description: "read, edited" });
  pick.accept(pick.items[0]);
  expect(await chosen).toEqual({ id: "t1", root: "/root" });
});

test("no result says so, and offers to look in other folders", async () => {
  const { asked, pick, chosen, filled } = opened("src/roof.py");
  await filled();
  expect(pick.items[0]).toMatchObject({ label: "$(info) No stored task touched this file" });
  pick.accept(pick.items[1]);
  await filled();
  expect(asked).toEqual([FILE, "src/roof.py"]);
  pick.accept(pick.items[0]);
  expect(await chosen).toEqual({ id: "t1", root: "/root" });
});

test("a sidecar that fails is reported, not ignored", async () => {
  const service = {
    request: () => Promise.reject(new Error("gone")),
  } as unknown as SubagentService;
  await expect(pickTaskOfFile(service, FILE)).rejects.toThrow("gone");
});
