/**
 * Joins two lists, and returns the same array again while they are equal: joining 20,000 lines for each frame would
 * leave garbage whose collection takes longer than a frame.
 */
export class Joined<T extends object> {
  #last: Record<"first" | "rest" | "all", readonly T[]> = { first: [], rest: [], all: [] };

  /** Return both lists; those of `first` may be equal objects, `rest` is the same array. */
  of(first: readonly T[], rest: readonly T[]): readonly T[] {
    const last = this.#last;
    const isKnown =
      rest === last.rest &&
      first.length === last.first.length &&
      first.every((each, at) => isSame(each, last.first[at]));
    if (!isKnown) {
      this.#last = { first, rest, all: [...first, ...rest] };
    }
    return this.#last.all;
  }
}

function isSame(one: object, other: object = {}): boolean {
  const members = new Map<string, unknown>(Object.entries(other));
  const same = Object.entries(one).filter(([name, value]) => members.get(name) === value);
  return one === other || (same.length === members.size && same.length === Object.keys(one).length);
}
