// Parses Markdown documents, one JSON text a line, and answers each with what a renderer would show.
import { createInterface } from "node:readline";
import { createRequire } from "node:module";

const MarkdownIt = createRequire(process.argv[2])("markdown-it");
const parser = new MarkdownIt("commonmark", { html: true });

for await (const line of createInterface({ input: process.stdin })) {
  const env = {};
  const tokens = parser.parse(JSON.parse(line), env).flatMap((token) => [token, ...(token.children ?? [])]);
  const headings = tokens.flatMap((token, at) =>
    token.type === "heading_open" ? [`${token.tag} ${tokens[at + 1].content}`] : [],
  );
  const foreign = tokens.map((token) => token.type).filter((type) => /^(html_|image)/.test(type));
  console.log(JSON.stringify({ headings, foreign, references: Object.keys(env.references ?? {}) }));
}
