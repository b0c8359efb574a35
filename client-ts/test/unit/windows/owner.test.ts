import { expect, test } from "vitest";

import { isOfOtherWindow, ownerWords } from "../../../src/windows/owner.js";

const HERE = ["/house"];

function by(client: string, workspaceDir = "/elsewhere") {
  return { owner: { client, workspaceDir } };
}

test("a run of this workspace or of an earlier version has no owner to name", () => {
  expect(ownerWords(by("vscode", "/house"), HERE)).toBeUndefined();
  expect(ownerWords({}, HERE)).toBeUndefined();
  expect(ownerWords(by(""), HERE)).toBeUndefined();
});

test("the owner is another window by its folder, a terminal, or a program by its name", () => {
  expect(ownerWords(by("vscode"), HERE)).toBe("another window (elsewhere)");
  expect(ownerWords(by("cli", "/house"), HERE)).toBe("a terminal");
  expect(ownerWords(by("mcp"), HERE)).toBe("the program mcp");
});

test("only a window with another workspace takes care of its runs by itself", () => {
  expect(isOfOtherWindow(by("vscode"), HERE)).toBe(true);
  expect(isOfOtherWindow(by("vscode"), [])).toBe(false);
  expect(isOfOtherWindow(by("cli"), HERE)).toBe(false);
  expect(isOfOtherWindow({}, HERE)).toBe(false);
});
