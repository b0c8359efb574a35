/**
 * Return how many characters of a text make at most this many elements, and at least one, at most `most`.
 *
 * Marks of Markdown count that make an element in pairs, or one each. Code counts two and a half times:
 * its box takes that much longer to draw than another element.
 */
export function charsOfElements(text: string, elements: number, most: number): number {
  let quarters = 0;
  for (let at = 0; at < Math.min(text.length, most); at += 1) {
    quarters += quartersAt(text, at);
    if (quarters > 4 * elements) {
      return Math.max(1, at);
    }
  }
  return most;
}

/** Return how many elements a text makes, counted in the same way. */
export function elementsOf(text: string): number {
  let quarters = 0;
  for (let at = 0; at < text.length; at += 1) {
    quarters += quartersAt(text, at);
  }
  return quarters / 4;
}

/** Return the elements that the mark at this place of a text makes, in quarters. */
function quartersAt(text: string, at: number): number {
  switch (text.charCodeAt(at)) {
    case 0x2a: // *
      return 2;
    case 0x60: // `
      return 5;
    case 0x7c: // |
    case 0x3e: // >
    case 0x0a: // line feed
      return 4;
    case 0x5d: // ], of a link before (
      return text.charCodeAt(at + 1) === 0x28 ? 4 : 0;
    default:
      return 0;
  }
}
