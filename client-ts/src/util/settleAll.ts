/** Do `work` on all values, `most` at a time; the outcomes come in the order of the values. */
export async function settleAll<T, R>(
  values: readonly T[],
  most: number,
  work: (value: T) => Promise<R>,
): Promise<PromiseSettledResult<R>[]> {
  const outcomes: PromiseSettledResult<R>[] = [];
  const left = values.entries();
  const takeTurns = async (): Promise<void> => {
    for (const [at, value] of left) {
      [outcomes[at]] = await Promise.allSettled([work(value)]);
    }
  };
  await Promise.all(Array.from({ length: most }, takeTurns));
  return outcomes;
}
