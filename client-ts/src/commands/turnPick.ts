import * as vscode from "vscode";

import { whileOpen } from "../questions/quickInput.js";
import { clock, day } from "../l10n/format.js";
import type { TimedTurn, TurnKind } from "../panel/turns/turnIndex.js";
import { turnsAt } from "../panel/turns/turnTimes.js";
import * as strings from "../text/strings.js";

interface TurnItem extends vscode.QuickPickItem {
  readonly seq: number;
}

const ICONS: Readonly<Record<TurnKind, string>> = {
  plain: "",
  user: "$(account) ",
  failure: "$(error) ",
  question: "$(bell-dot) ",
};

/** Let the user choose a turn, or enter a time; return its event, or undefined if they choose none. */
export async function askTurn(turns: readonly TimedTurn[]): Promise<number | undefined> {
  const pick = vscode.window.createQuickPick<TurnItem>();
  const areSeveral = new Set(turns.map(({ ts }) => day(ts))).size > 1;
  const all = turns.map((turn) => itemOf(turn, areSeveral));
  pick.title = strings.runs.goToTime;
  pick.placeholder = strings.runs.timeHint;
  pick.matchOnDescription = true;
  pick.items = all;
  pick.onDidChangeValue((value) => {
    pick.items = [
      ...turnsAt(turns, value).map((turn) => meantItem(turn, value, areSeveral)),
      ...all,
    ];
  });
  try {
    return await whileOpen(chosen(pick));
  } finally {
    pick.dispose();
  }
}

function chosen(pick: vscode.QuickPick<TurnItem>): Promise<number | undefined> {
  return new Promise((resolve) => {
    pick.onDidAccept(() => {
      resolve(pick.selectedItems[0]?.seq);
      pick.hide();
    });
    pick.onDidHide(() => {
      resolve(undefined);
    });
    pick.show();
  });
}

function itemOf(turn: TimedTurn, withDay: boolean): TurnItem {
  return { label: timeOf(turn, withDay), description: ICONS[turn.kind] + turn.text, seq: turn.seq };
}

/** What is at the time that was entered comes first, whatever its own time is. */
function meantItem(turn: TimedTurn, value: string, withDay: boolean): TurnItem {
  const label = strings.runs.atTime(value.trim());
  return {
    ...{ label, description: `${timeOf(turn, withDay)} ${turn.text}` },
    ...{ seq: turn.seq, alwaysShow: true },
  };
}

function timeOf({ ts }: TimedTurn, withDay: boolean): string {
  return ts === 0 ? strings.runs.noTime : `${withDay ? `${day(ts)}, ` : ""}${clock(ts)}`;
}
