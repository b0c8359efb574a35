import { readFileSync } from "node:fs";

import { expect, test } from "vitest";

import { walkthroughCommands } from "../../../src/commands/walkthrough.js";

const { publisher, name, contributes } = JSON.parse(
  readFileSync(new URL("../../../package.json", import.meta.url), "utf8"),
) as {
  readonly publisher: string;
  readonly name: string;
  readonly contributes: {
    readonly walkthroughs: readonly { readonly id: string; readonly when?: string }[];
  };
};

test("the walkthrough is offered from the first time on that somebody asks for it", async () => {
  const executed: unknown[][] = [];
  const executeCommand = <T>(...call: unknown[]): Thenable<T> =>
    Promise.resolve(executed.push(call) as T);
  await walkthroughCommands({ executeCommand })["subagentSidecar.walkthrough.open"]();
  const [walkthrough] = contributes.walkthroughs;
  expect(executed).toEqual([
    ["setContext", walkthrough?.when, true],
    ["workbench.action.openWalkthrough", `${publisher}.${name}#${walkthrough?.id ?? ""}`],
  ]);
});
