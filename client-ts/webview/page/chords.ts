import { isMac } from "../view/common/platform.js";

/** How long the editor waits for the second key of a chord, in ms. */
const WAIT_MS = 5_000;
const MODIFIERS: ReadonlySet<string> = new Set(["Alt", "AltGraph", "Control", "Meta", "Shift"]);

/**
 * Keep the second key of a chord such as Ctrl+K G from being typed into a field. The editor still gets it:
 * it reads the keys of a page when the page has handled them.
 */
export class Chords {
  #until = 0;

  /** Note a key that is pressed in the page. */
  press(event: KeyboardEvent): void {
    if (MODIFIERS.has(event.key)) {
      return;
    }
    const isSecond = event.timeStamp < this.#until;
    this.#until = !isSecond && beginsChord(event) ? event.timeStamp + WAIT_MS : 0;
    if (isSecond) {
      event.preventDefault();
    }
  }
}

function beginsChord({ key, altKey, ctrlKey, metaKey, shiftKey }: KeyboardEvent): boolean {
  const has = isMac() ? metaKey && !ctrlKey : ctrlKey && !metaKey;
  return has && !altKey && !shiftKey && key.toLowerCase() === "k";
}
