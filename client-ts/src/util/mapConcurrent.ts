/** Call `work` for all values, `most` at a time; the outcomes are in the order of the values. */
export async function mapConcurrent<T, R>(
  values: readonly T[],
  most: number,
  work: (value: T) => Promise<R>,
): Promise<PromiseSettledResult<R>[]> {
  const outcomes: PromiseSettledResult<R>[] = [];
  const left = values.entries();
  const worker = async (): Promise<void> => {
    for (const [at, value] of left) {
      [outcomes[at]] = await Promise.allSettled([work(value)]);
    }
  };
  await Promise.all(Array.from({ length: most }, worker));
  return outcomes;
}
