import { expect, test, vi } from "vitest";

import type { SubagentService } from "../../../src/service/service.js";
import { totalsPage } from "../../../src/views/totalsPage.js";
import { shown, Uri } from "../../vscode.js";

const NOTHING = { tasks: 0, tasksWithTokens: 0, tasksWithCost: 0, messages: 0, sizeBytes: 0 };
const STATS = { matched: 0, copies: 0, totals: NOTHING, groups: {}, parents: [], revision: 1 };

test("a page in front keeps its filter even if that of the history changes", async () => {
  let filter = "product:kilo";
  const request = vi.fn(() => Promise.resolve(STATS));
  const service = { request } as unknown as SubagentService;
  const totals = totalsPage(Uri.file("/ext") as never, service, () => filter);
  expect(totals.query()).toBe("product:kilo");
  await totals.page.show();
  filter = "";
  const panel = shown.panels.at(-1);
  expect(request).toHaveBeenCalledWith(
    "tasks/stats",
    expect.objectContaining({ query: "product:kilo" }),
  );
  Object.assign(panel ?? {}, { active: true });
  expect(totals.query()).toBe("product:kilo");
  Object.assign(panel ?? {}, { active: false });
  expect(totals.query()).toBe("");
});
