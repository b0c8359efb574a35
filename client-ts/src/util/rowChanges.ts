/** What turns one list of rows into another, small if few rows differ. */
export interface RowChanges<Row> {
  /** The numbers of the rows that go, in the first list, ascending. */
  readonly removed: readonly number[];
  /** The rows that come, with their numbers in the second list, ascending. */
  readonly added: readonly (readonly [at: number, row: Row])[];
}

/** Return what turns `before` into `after`; undefined if rows changed places. Compares objects. */
export function changesBetween<Row extends object>(
  before: readonly Row[],
  after: readonly Row[],
): RowChanges<Row> | undefined {
  const [known, wanted] = [new Set(before), new Set(after)];
  const removed = before.flatMap((row, at) => (wanted.has(row) ? [] : [at]));
  const added = after.flatMap((row, at) => (known.has(row) ? [] : [[at, row] as const]));
  const stay = after.filter((row) => known.has(row));
  const hasOrder = before.filter((row) => wanted.has(row)).every((row, at) => row === stay[at]);
  return hasOrder ? { removed, added } : undefined;
}

/** Apply what `changesBetween` returned. */
export function withChanges<Row>(
  before: readonly Row[],
  { removed, added }: RowChanges<Row>,
): readonly Row[] {
  const gone = new Set(removed);
  const stay = before.filter((_, at) => !gone.has(at));
  const after: Row[] = [];
  let from = 0;
  for (const [at, row] of added) {
    const end = from + at - after.length;
    for (; from < end; from += 1) {
      after.push(stay[from] as Row);
    }
    after.push(row);
  }
  return [...after, ...stay.slice(from)];
}
