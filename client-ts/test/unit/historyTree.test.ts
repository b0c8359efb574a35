import { expect, test } from "vitest";
import type { MarkdownString, TreeItem } from "vscode";

import type { SubagentService } from "../../src/service/service.js";
import { TaskRow } from "../../src/views/historyRows.js";
import { HistoryTree } from "../../src/views/historyTree.js";
import { Disposable } from "../vscode.js";
import { storedTask } from "./tasks.js";

test("rows of the same task in two roots open their own, and tell in the tooltip whose it is", () => {
  const service = {
    onDidChangeState: () => Disposable.from(),
    onDidChangeHistory: () => Disposable.from(),
  } as unknown as SubagentService;
  const tree = new HistoryTree(service, () => false);
  for (const root of ["/one", "/two"]) {
    const row = new TaskRow(storedTask("t1", { root }));
    const item = tree.getTreeItem(row);
    expect(item.command?.arguments).toEqual([{ id: "t1", root }]);
    expect(tooltipOf(tree.resolveTreeItem(item, row))).toMatch(new RegExp(`Store.*${root}`, "u"));
  }
  tree.dispose();
});

function tooltipOf({ tooltip }: TreeItem): string {
  return (tooltip as MarkdownString).value;
}
