import type { FrameLocator, Locator } from "playwright-core";

import type { Workbench } from "./workbench.ts";

/** The chat panel, addressed by the roles and names that a screen reader gets. */
export class Chat {
  readonly frame: FrameLocator;

  constructor(workbench: Workbench) {
    this.frame = workbench.webview;
  }

  get goal(): Locator {
    return this.frame.getByRole("textbox", { name: "Goal" });
  }

  /** Where the subagent of the open conversation is told something. */
  get message(): Locator {
    return this.frame.locator("#words");
  }

  get picker(): Locator {
    return this.frame.getByRole("combobox", { name: "Subagent" });
  }

  button(name: string | RegExp): Locator {
    return this.frame.getByRole("button", { name });
  }

  /** The conversations in the list of the first page. */
  get conversations(): Locator {
    return this.frame.getByRole("list", { name: "Conversations" }).getByRole("button");
  }

  /** What a subagent said and did, in the open conversation. */
  get log(): Locator {
    return this.frame.getByRole("log");
  }

  /** The messages of the open conversation. */
  get messages(): Locator {
    return this.log.locator("li.message");
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
    await this.button("Launch").click();
    await this.button("Back to all conversations").waitFor(); // the start of a long log may be out of view
  }

  /** Launch an agent whose goal is its steps; the conversation opens. */
  async launchScript(subagent: string, steps: readonly string[]): Promise<void> {
    await this.picker.selectOption(subagent);
    await this.goal.fill(steps.join("\n"));
    await this.button("Launch").click();
    await this.frame.getByRole("region", { name: "Goal" }).waitFor();
  }

  /** The open question that shows this text. */
  question(text: string): Locator {
    return this.frame.locator(".ask").filter({ hasText: text });
  }

  async backToList(): Promise<void> {
    await this.button("Back to all conversations").click();
    await this.conversations.first().waitFor();
  }

  /** Wait for a piece of the conversation's text. */
  async says(text: string): Promise<void> {
    await this.log.getByText(text).first().waitFor();
  }
}
