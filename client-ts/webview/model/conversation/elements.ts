/**
 * Return how many characters of a text make at most this many elements, and at least one, at most `most`.
 *
 * Marks of Markdown count that make an element in pairs, or one each. Code counts twice: its box takes as long
 * to draw as two other elements.
 */
export function charsOfElements(text: string, elements: number, most: number): number {
  let halves = 0;
  for (let at = 0; at < Math.min(text.length, most); at += 1) {
    halves += halvesAt(text, at);
    if (halves > 2 * elements) {
      return Math.max(1, at);
    }
  }
  return most;
}

/** Return the elements that the mark at this place of a text makes, in halves. */
function halvesAt(text: string, at: number): number {
  switch (text.charCodeAt(at)) {
    case 0x2a: // *
      return 1;
    case 0x60: // `
    case 0x7c: // |
    case 0x3e: // >
    case 0x0a: // line feed
      return 2;
    case 0x5d: // ], of a link before (
      return text.charCodeAt(at + 1) === 0x28 ? 2 : 0;
    default:
      return 0;
  }
}
