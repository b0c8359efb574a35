import * as vscode from "vscode";

import { inform } from "../../questions/notify.js";
import { TOTALS_GROUPS } from "../../reports/totals.js";
import { totalsCsv } from "../../reports/totalsCsv.js";
import type { SubagentService } from "../../service/service.js";
import { shortPath } from "../../text/places.js";
import * as strings from "../../text/strings.js";

const FILE = "usage-totals.csv";

/** Write the totals of the tasks that a query selects to a file of the user's choice. */
export async function exportTotals(service: SubagentService, query: string): Promise<void> {
  await service.start();
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const target = await vscode.window.showSaveDialog({
    title: strings.exporting.totalsTitle,
    filters: { CSV: ["csv"] },
    defaultUri: folder ? vscode.Uri.joinPath(folder, FILE) : vscode.Uri.file(FILE),
  });
  if (target === undefined) {
    return;
  }
  const filter = query === "" ? {} : { query };
  const stats = await service.request("tasks/stats", { groupBy: [...TOTALS_GROUPS], ...filter });
  await vscode.workspace.fs.writeFile(target, new TextEncoder().encode(totalsCsv(stats)));
  const { open, totalsDone } = strings.exporting;
  if ((await inform(totalsDone(shortPath(target.fsPath)), open)) === open) {
    await vscode.window.showTextDocument(target);
  }
}
