// Parses Markdown documents, one JSON text a line, and answers each with what renderers would show: one of
// CommonMark and one that knows tables.
import { createInterface } from "node:readline";
import { createRequire } from "node:module";

const MarkdownIt = createRequire(process.argv[2])("markdown-it");
const parsers = [
  new MarkdownIt("commonmark", { html: true }),
  new MarkdownIt("commonmark", { html: true }).enable("table"),
];

function shown(parser, document) {
  const env = {};
  const tokens = parser.parse(document, env).flatMap((token) => [token, ...(token.children ?? [])]);
  const headings = tokens.flatMap((token, at) =>
    token.type === "heading_open" ? [`${token.tag} ${tokens[at + 1].content}`] : [],
  );
  const foreign = tokens.map((token) => token.type).filter((type) => /^(html_|image)/.test(type));
  return { headings, foreign, references: Object.keys(env.references ?? {}) };
}

for await (const line of createInterface({ input: process.stdin })) {
  const document = JSON.parse(line);
  console.log(JSON.stringify(parsers.map((parser) => shown(parser, document))));
}
