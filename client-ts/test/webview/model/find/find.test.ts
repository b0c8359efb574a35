// The search sees what a reader sees, and counts each match once however the run is read.
import { expect, test } from "vitest";

import {
  begunFind,
  excerptOf,
  type Find,
  MOST_MATCHES,
  settled,
  stepped,
  textAt,
  withQuery,
  withRead,
} from "../../../../webview/model/find/find.js";
import { occurrencesOf } from "../../../../webview/model/find/occurrences.js";
import { EMPTY_STREAM } from "../../../../webview/model/conversation/stream.js";
import { readableTexts } from "../../../../webview/text/readable.js";
import { message, numbered, task, tool } from "../../samples.js";

const TASK = task({ goalPrompt: "Oil the hinge" });

function around(newestSeq: number) {
  return { task: TASK, stream: { ...EMPTY_STREAM, newestSeq } };
}

function searched(query: string, events: ReturnType<typeof numbered>, from = 0): Find {
  const shown = around(events.length);
  return settled(withQuery(withRead(begunFind(from), events, shown), query, shown));
}

/** The keys of the texts with matches, in order. */
function places({ matches, texts }: Find): (string | undefined)[] {
  return matches.map(({ at }) => texts[at]?.key);
}

test("a match ignores case, and a space matches any whitespace", () => {
  expect(occurrencesOf("Cold hinge,\n  cold HINGE", "cold hinge")).toEqual([
    { start: 0, end: 10 },
    { start: 14, end: 24 },
  ]);
  expect(occurrencesOf("a.b a+b (x", "a+b")).toEqual([{ start: 4, end: 7 }]);
  expect(occurrencesOf("anything", "")).toEqual([]);
  expect(occurrencesOf("ababab", "ab", 2)).toHaveLength(2);
});

test("marks of Markdown and addresses of links are not searched, but code is", () => {
  const source =
    "# A **bold** [link](https://example.com/x)\n\n- one\n- `two`\n\n```py\nthree\n```";
  expect(readableTexts(source)).toEqual(["A bold link", "one", "two", "three\n"]);
});

test("the goal, messages, thoughts, calls and sent messages are searched in order", () => {
  const events = numbered([
    message("m1", "The **hin**ge creaks"),
    { type: "thought", messageId: "t", text: "A hinge needs oil" },
    { ...tool("read", "started", "c1"), input: { path: "hinge.py" } } as never,
    { ...tool("read", "completed", "c1"), output: "def hinge(): ..." } as never,
    { type: "message", messageId: "u", role: "user", text: "Which hinge?" },
  ]);
  expect(places(searched("hinge", events))).toEqual([
    ...["goal", "1.0", "2.0", "3.0", "3.0", "3.0", "5.0"],
  ]);
});

test("a match that two events of a stream make together counts once", () => {
  const [first, second] = [message("m1", "The hin"), message("m1", "ge creaks")];
  const once = withRead(withQuery(begunFind(0), "hinge", around(3)), numbered([first]), around(2));
  const both = withRead(once, numbered([second], 2), around(2));
  expect(places(once)).toEqual(["goal"]);
  expect(places(both)).toEqual(["goal", "1.0"]);
});

test("a call that ends later gains the matches of its result, in its place", () => {
  const begun = [tool("read", "started", "c1"), message("m", "the hinge")];
  const early = withRead(withQuery(begunFind(1), "hinge", around(3)), numbered(begun), around(3));
  const end = numbered([{ ...tool("read", "completed", "c1"), output: "hinge" } as never], 3);
  expect(places(early)).toEqual(["goal", "2.0"]);
  expect(places(withRead(early, end, around(3)))).toEqual(["goal", "1.0", "2.0"]);
});

test("the first match is the one from where the reader is, else the first of all", () => {
  const events = numbered(["hinge", "door", "hinge"].map((text, at) => message(`m${at}`, text)));
  expect(searched("hinge", events, 2)).toMatchObject({ current: 2, isRevealing: true });
  expect(settled({ ...searched("hinge", events, 9), isWhole: false }).current).toBeUndefined();
  const whole = { ...searched("oil", events, 3), isWhole: true };
  expect(settled(whole).current).toBe(0);
});

test("next and previous go around, and more letters stay where they match", () => {
  const events = numbered(["hinge", "hinges", "hinge"].map((text, at) => message(`m${at}`, text)));
  const find = searched("hinge", events, 1);
  const forth = stepped(find, 1);
  expect(textAt(forth)?.key).toBe("2.0");
  expect(textAt(stepped(stepped(forth, 1), 1))?.key).toBe("goal");
  expect(textAt(stepped(stepped(find, -1), -1))?.key).toBe("3.0");
  expect(textAt(settled(withQuery(forth, "hinges", around(3))))?.key).toBe("2.0");
});

test("the words around a match can be read out", () => {
  const find = searched("creaks", numbered([message("m", `${"x ".repeat(60)}it\n\ncreaks loud`)]));
  expect(excerptOf(find)).toMatch(/^(?:x )+it creaks loud$/u);
});

test("no more matches are counted than anyone would step through", () => {
  const find = searched("x", numbered([message("m", "x ".repeat(MOST_MATCHES + 10))]), 1);
  expect(find.matches).toHaveLength(MOST_MATCHES);
});
