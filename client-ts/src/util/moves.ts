import {
  type Disposable,
  type Tab,
  type Terminal,
  TextEditorSelectionChangeKind,
  window,
} from "vscode";

/** The kinds of selections that a user makes; programs make the others. */
const BY_USER = new Set<TextEditorSelectionChangeKind | undefined>([
  TextEditorSelectionChangeKind.Keyboard,
  TextEditorSelectionChangeKind.Mouse,
]);

/**
 * After this time, in ms, the user may be where the editor does not say so: in a view such as the Explorer, or in the
 * message of a commit.
 */
const AWAY_MS = 1_000;

/**
 * Notes whether the user goes to another editor or terminal, or works in a text editor, while something that is to
 * be shown takes its time.
 */
export class Moves implements Disposable {
  readonly #subscription: Disposable;
  #from: Place = here();
  #hasWorked = false;
  #since = performance.now();

  constructor() {
    this.#subscription = window.onDidChangeTextEditorSelection(({ kind }) => {
      this.#hasWorked ||= BY_USER.has(kind);
    });
  }

  /** Whether the user moved since the beginning. */
  get any(): boolean {
    const { tab, terminal } = here();
    return this.#hasWorked || tab !== this.#from.tab || terminal !== this.#from.terminal;
  }

  /** Whether the user may have moved unnoticed, because the start was too long ago. */
  get areUncertain(): boolean {
    return performance.now() - this.#since > AWAY_MS;
  }

  /** Note what happens from now on. */
  begin(): void {
    this.#since = performance.now();
    this.#from = here();
    this.#hasWorked = false;
  }

  dispose(): void {
    this.#subscription.dispose();
  }
}

interface Place {
  readonly tab: Tab | undefined;
  readonly terminal: Terminal | undefined;
}

function here(): Place {
  return { tab: window.tabGroups.activeTabGroup.activeTab, terminal: window.activeTerminal };
}

/**
 * Do what takes its time, and show its result unless the user moved since `begin` was called last. What took long may
 * not take the focus.
 */
export async function unlessMoved<T>(
  work: (begin: () => void) => Promise<T | undefined>,
  show: (result: T, opening: { readonly keepsFocus: boolean }) => Promise<void>,
): Promise<void> {
  const moves = new Moves();
  try {
    const result = await work(() => {
      moves.begin();
    });
    if (result !== undefined && !moves.any) {
      await show(result, { keepsFocus: moves.areUncertain });
    }
  } finally {
    moves.dispose();
  }
}
