/** A place in a file, as a link names it. */
export interface FilePlace {
  readonly path: string;
  /** From 1. */
  readonly line?: number;
}

/** A path, then perhaps lines as `#L3`, `#L3-L9`, `:3`, `:3:5` or `:3-9`. */
const PLACE = /^(.+?)(?:#L(\d{1,7})(?:C\d+)?(?:-L?\d+(?:C\d+)?)?|:(\d{1,7})(?:[:-]\d+)*)?$/su;
const SCHEME = /^[a-z][a-z\d+.-]*:/iu;
const DRIVE = /^[a-z]:[\\/]/iu;
/** The path of a share on another machine, a place in the same page, a query or an unprintable character. */
const NO_FILE = /^[\\/]{2}|^#|[?\p{C}]/u;
/** Addresses of the web, and images that are their own address, of which only the words are shown. */
const SHOWN = /^(?:https?:|data:image\/)/iu;
const MOST_CHARS = 1_000;

/** Return the place that the address of a Markdown link names, or undefined if it names no file. */
export function filePlace(address: string): FilePlace | undefined {
  const text = decoded(address);
  const [, path = "", anchor, colon] = PLACE.exec(text) ?? [];
  const hasScheme = SCHEME.test(path) && !DRIVE.test(path);
  const isWord = colon !== undefined && !/[./]/u.test(path);
  if (path === "" || text.length > MOST_CHARS || hasScheme || isWord || NO_FILE.test(path)) {
    return undefined;
  }
  const line = anchor ?? colon;
  return { path, ...(line === undefined ? {} : { line: Number(line) }) };
}

/** Whether only the words of a link are shown. All other links stay as they were written. */
export function isShownLink(address: string): boolean {
  return SHOWN.test(address) || filePlace(address) !== undefined;
}

function decoded(address: string): string {
  try {
    return decodeURIComponent(address);
  } catch {
    return address;
  }
}
