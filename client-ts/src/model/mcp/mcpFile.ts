import { mcp as words } from "../text/strings.js";

/** A server in a file `.mcp.json`. */
export interface ServerEntry {
  readonly command: string;
  readonly args: readonly string[];
}

const BOM = "\uFEFF";

type Table = Readonly<Record<string, unknown>>;

/**
 * Return the text of `.mcp.json` with a server added or replaced; `text` is undefined if there is no file.
 * Other members stay, those of the server too, such as variables, and so does the indentation. Throws an error for a person if the file is not valid.
 */
export function withServer(text: string | undefined, name: string, entry: ServerEntry): string {
  const content = text === undefined || text.trim() === "" ? {} : parsed(text);
  const servers = content["mcpServers"] ?? {};
  if (!isTable(servers)) {
    throw new Error(words.notValid(words.noServers));
  }
  const former = servers[name];
  const changed = { ...(isTable(former) && isStarted(former) ? former : {}), ...entry };
  const whole = { ...content, mcpServers: { ...servers, [name]: changed } };
  const start = text?.startsWith(BOM) === true ? BOM : "";
  return `${start}${JSON.stringify(whole, undefined, indentOf(text ?? ""))}\n`;
}

/** Whether an entry starts a program; the members of one with an address have another meaning. */
function isStarted(entry: Table): boolean {
  return !("url" in entry);
}

function parsed(text: string): Table {
  let value: unknown;
  try {
    value = JSON.parse(text.startsWith(BOM) ? text.slice(1) : text);
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
