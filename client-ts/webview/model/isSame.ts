/** Whether two values from JSON are equal, member by member. */
export function isSame(one: unknown, other: unknown): boolean {
  if (one === other || !isObject(one) || !isObject(other)) {
    return one === other;
  }
  const keys = Object.keys(one);
  return (
    keys.length === Object.keys(other).length && keys.every((key) => isSame(one[key], other[key]))
  );
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
