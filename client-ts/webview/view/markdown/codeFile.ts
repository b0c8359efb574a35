/** A path with a dot in its last part, and no spaces. */
const PATH = /^(?:[A-Za-z]:)?[\w.@/\\+-]*[\w@+-]\.[A-Za-z]\w{0,9}$/u;
/** A longer line names no file, in characters. */
const MOST_CHARS = 300;
/** What names a file in the words after a fence. */
const TITLE = /(?:^|\s)(?:title|file|filename|path)=(?:"([^"]+)"|'([^']+)'|(\S+))/iu;

/** Return the file that the words after a fence name: `python title=a.py`, `python:a.py` or `a.py`. */
export function fileInInfo(info: string): string | undefined {
  if (info.length > MOST_CHARS) {
    return undefined;
  }
  const [, double, single, bare] = TITLE.exec(info) ?? [];
  const words = info.split(/\s+/u).flatMap((word) => [word, word.replace(/^\w+:/u, "")]);
  return [double ?? single ?? bare, ...words].find((word) => word !== undefined && PATH.test(word));
}

/** Return the file that a line names, if it has nothing else: `**src/a.py**:` right before the code. */
export function fileInLine(line: string): string | undefined {
  if (line.length > MOST_CHARS) {
    return undefined;
  }
  const name = line.trim().replace(/^(?:file|datei):?\s+/iu, "");
  const bare = name.replaceAll(/^[*_`#\s]+|[*_`:\s]+$/gu, "");
  return PATH.test(bare) ? bare : undefined;
}
