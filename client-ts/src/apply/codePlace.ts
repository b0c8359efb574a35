/** Lines from 0, the last one included. */
export interface Lines {
  readonly first: number;
  readonly last: number;
}

/** How much longer than the code the lines that it replaces may be: more are hardly meant. */
const MOST_GROWTH = 3;

/**
 * Return the lines of a file that code replaces: those from the code's first line to its last. Undefined if the file
 * lacks one of them, or has them in several places.
 */
export function codePlace(file: readonly string[], code: readonly string[]): Lines | undefined {
  const words = code.filter((line) => line.trim() !== "");
  const [head, tail] = [words[0], words.at(-1)];
  if (head === undefined || tail === undefined) {
    return undefined;
  }
  const firsts = linesLike(file, head);
  const lasts = linesLike(file, tail);
  const [least, most] = [words.length === 1 ? 0 : 1, code.length * MOST_GROWTH];
  const places: Lines[] = [];
  let at = 0; // Moves along with the first lines, since a file may have thousands of such lines.
  for (const first of firsts) {
    while ((lasts[at] ?? Infinity) < first + least) {
      at += 1;
    }
    const last = lasts[at];
    if (last !== undefined && last - first < most) {
      places.push({ first, last });
    }
  }
  return places.length === 1 ? places[0] : undefined;
}

/** Return where a file has a line; one with other spaces around it counts if none is the same. */
function linesLike(file: readonly string[], line: string): number[] {
  const same = numbersOf(file, (each) => each.trimEnd() === line.trimEnd());
  return same.length > 0 ? same : numbersOf(file, (each) => each.trim() === line.trim());
}

function numbersOf(file: readonly string[], isMeant: (line: string) => boolean): number[] {
  return file.flatMap((line, at) => (isMeant(line) ? [at] : []));
}
