import { mcp as words } from "../text/strings.js";

/** A server in a file `.mcp.json`. */
export interface ServerEntry {
  readonly command: string;
  readonly args: readonly string[];
}

type Table = Readonly<Record<string, unknown>>;

/**
 * Return the text of `.mcp.json` with a server added or replaced; `text` is undefined if there is no file.
 * Other members and the indentation stay. Throws an error for a person if the file is not valid.
 */
export function withServer(text: string | undefined, name: string, entry: ServerEntry): string {
  const content = text === undefined || text.trim() === "" ? {} : parsed(text);
  const servers = content["mcpServers"] ?? {};
  if (!isTable(servers)) {
    throw new Error(words.notValid(words.noServers));
  }
  const changed = { ...content, mcpServers: { ...servers, [name]: { ...entry } } };
  return `${JSON.stringify(changed, undefined, indentOf(text ?? ""))}\n`;
}

function parsed(text: string): Table {
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\uFEFF/u, ""));
  } catch (error) {
    throw new Error(words.notValid(error instanceof Error ? error.message : ""), { cause: error });
  }
  if (!isTable(value)) {
    throw new Error(words.notValid(words.noObject));
  }
  return value;
}

function isTable(value: unknown): value is Table {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function indentOf(text: string): string {
  return /^[ \t]+(?=")/mu.exec(text)?.[0] ?? "  ";
}
