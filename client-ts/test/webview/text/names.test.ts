// A name that speech control knows: the accessible name of a control contains its visible words.
import { expect, test } from "vitest";

import * as de from "../../../webview/text/de.js";
import * as en from "../../../webview/text/en.js";

/** Return the words and the name of each control whose name says more than its words, in one language. */
function controls({ DIFF, LIST }: Pick<typeof en, "DIFF" | "LIST">) {
  const { answer, cancel, startNow, review, resume, pin, unpin } = LIST;
  const actions = [answer, cancel, startNow, review, resume, LIST.delete, pin, unpin];
  return [
    [DIFF.open, DIFF.openOf("src/days.py")],
    ...actions.map((words) => [words, LIST.actOn(words, "Mend the days")] as const),
    ...Object.values(LIST.groups).flatMap((words) =>
      [true, false].flatMap((isPartial) => {
        const name = LIST.groupLabel(words, 12, isPartial);
        return [words, LIST.count(12, isPartial)].map((part) => [part, name] as const);
      }),
    ),
  ] as const;
}

test.each([
  ["English", en],
  ["German", de as typeof en],
])("names contain the words of their controls in %s", (_, bundle) => {
  const lacking = controls(bundle).filter(
    ([words, name]) => !name.toLowerCase().includes(words.toLowerCase()),
  );
  expect(lacking).toEqual([]);
});
