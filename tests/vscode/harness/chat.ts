import type { FrameLocator, Locator } from "playwright-core";

import type { Workbench } from "./workbench.ts";

/** A conversation's name has at least this much of its goal, in characters. */
const NAMING_CHARS = 100;

/** The list in the side bar and the conversation in front, addressed as a screen reader does. */
export class Chat {
  /** The list and the composer. */
  readonly list: FrameLocator;
  /** The conversation. */
  readonly frame: FrameLocator;

  constructor(workbench: Workbench) {
    this.list = workbench.sideBarPage;
    this.frame = workbench.editorPage;
  }

  get goal(): Locator {
    return this.list.getByRole("textbox", { name: "Goal" });
  }

  /** Where a person writes to the subagent of the open conversation. */
  get message(): Locator {
    return this.frame.locator("#words");
  }

  get picker(): Locator {
    return this.list.getByRole("combobox", { name: "Subagent", exact: true });
  }

  /** A button of the list or the composer. */
  listButton(name: string | RegExp): Locator {
    return this.list.getByRole("button", { name });
  }

  /** A button of the conversation. */
  button(name: string | RegExp): Locator {
    return this.frame.getByRole("button", { name });
  }

  /** The rows of the list, without the headings of groups. */
  get rows(): Locator {
    return this.list.getByRole("list", { name: "Agents" }).locator(".agent");
  }

  /** The row with this text. */
  row(text: string | RegExp): Locator {
    return this.rows.filter({ hasText: text });
  }

  /** What a subagent wrote and did, in the open conversation. */
  get log(): Locator {
    return this.frame.getByRole("log");
  }

  /** The messages of the open conversation. */
  get messages(): Locator {
    return this.log.locator("li.message");
  }

  /** The minimap of the open conversation. */
  get turns(): Locator {
    return this.frame.getByRole("slider", { name: "Turns" });
  }

  /** The state in the head of the open conversation, such as `Running` with its time. */
  state(word: string): Locator {
    return this.frame.locator(".head-facts", { hasText: word });
  }

  /** How the run of the open conversation ended. */
  get ending(): Locator {
    return this.frame.getByRole("region", { name: "End of the run" });
  }

  /** Launch from the composer, as with the mouse; the conversation opens. */
  async launch(subagent: string, goal: string): Promise<void> {
    await this.picker.selectOption(subagent);
    await this.goal.fill(goal);
    await this.listButton("Launch").click();
    await this.#opened(goal);
  }

  /** Launch an agent whose goal is its steps; the conversation opens. */
  async launchScript(subagent: string, steps: readonly string[]): Promise<void> {
    await this.picker.selectOption(subagent);
    await this.goal.fill(steps.join("\n"));
    await this.listButton("Launch").click();
    await this.#opened(steps.join(" "));
  }

  /** Wait for the conversation with this goal, by its name: the start of a long log may be out of view. */
  async #opened(goal: string): Promise<void> {
    const name = JSON.stringify(goal.slice(0, NAMING_CHARS));
    await this.frame.locator(`.conversation[aria-label^=${name}]`).waitFor();
  }

  /** The open question that shows this text. */
  question(text: string): Locator {
    return this.frame.locator(".ask").filter({ hasText: text });
  }

  /** Wait for a piece of the conversation's text. */
  async says(text: string): Promise<void> {
    await this.log.getByText(text).first().waitFor();
  }
}
