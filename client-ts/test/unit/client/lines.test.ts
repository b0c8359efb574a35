import { expect, test } from "vitest";

import { LineSplitter } from "../../../src/client/lines.js";

function split(chunks: Buffer[]): string[] {
  const lines: string[] = [];
  const splitter = new LineSplitter((line) => lines.push(line));
  chunks.forEach((chunk) => {
    splitter.push(chunk);
  });
  splitter.end();
  return lines;
}

test("any cut of the stream gives the same lines", () => {
  const bytes = Buffer.from("erste\r\nzweite ä€😀\n\nlast");
  for (let cut = 0; cut <= bytes.length; cut += 1) {
    const lines = split([bytes.subarray(0, cut), bytes.subarray(cut)]);
    expect(lines.filter((line) => line !== "")).toEqual(["erste", "zweite ä€😀", "last"]);
  }
});

test("a stream without line ends is handed on in bounded pieces", () => {
  const lines = split(Array.from({ length: 10 }, () => Buffer.alloc(10_000, "x")));
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(16 * 1024);
  expect(lines.join("")).toHaveLength(100_000);
});
