import { expect, test } from "vitest";
import type { MarkdownString, TreeItem } from "vscode";

import type { TaskInfo } from "../../../src/protocol.js";
import type { SubagentService } from "../../../src/service/service.js";
import { TaskRow } from "../../../src/views/historyRows.js";
import { HistoryTree } from "../../../src/views/historyTree.js";
import { Disposable } from "../../vscode.js";
import { storedTask } from "../tasks.js";

test("rows of the same task in two roots open their own, and tell in the tooltip whose it is", () => {
  const tree = treeOf();
  for (const root of ["/one", "/two"]) {
    const row = new TaskRow(storedTask("t1", { root }));
    const item = tree.getTreeItem(row);
    expect(item.command?.arguments).toEqual([{ id: "t1", root }]);
    expect(tooltipOf(tree.resolveTreeItem(item, row))).toMatch(new RegExp(`Root.*${root}`, "u"));
  }
  tree.dispose();
});

function treeOf(): HistoryTree {
  const service = {
    onDidChangeState: () => Disposable.from(),
    onDidChangeHistory: () => Disposable.from(),
  } as unknown as SubagentService;
  return new HistoryTree(service, () => false);
}

test("a run that goes on says so, however long its last message is ago", () => {
  const tree = treeOf();
  const run = { product: "sidecar", status: "active", mode: { current: "reviewer" } } as const;
  const row = (facts: Partial<TaskInfo>) =>
    tree.getTreeItem(new TaskRow(storedTask("t1", { lastActivity: 1_000, ...facts })));
  expect(row(run).description).toBe("running · reviewer");
  expect(row({ ...run, product: "roo" }).description).toMatch(/ ago · roo$/u);
  expect(row({ ...run, status: "failed" }).description).toMatch(/ ago · reviewer$/u);
  tree.dispose();
});

function tooltipOf({ tooltip }: TreeItem): string {
  return (tooltip as MarkdownString).value;
}
