/** In a page: return the texts that do not fit, unless an ellipsis says so or they scroll by themselves. */
export function cutTexts() {
  /** What scrolls up and down only. */
  const VERTICAL = ".home-body, .scroller, #list, .plan ol";
  const { clientWidth } = document.documentElement;
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const text = node.data.trim();
    const element = node.parentElement;
    if (text === "" || element === null || element.closest(".sr-only, script") !== null) {
      continue;
    }
    const range = document.createRange();
    range.selectNodeContents(node);
    const box = range.getBoundingClientRect();
    const isShown = box.width > 0 && box.height > 0 && element.checkVisibility();
    if (isShown && isCut(element, box)) {
      found.push(`${element.className || element.localName}: ${text.slice(0, 60)}`);
    }
  }
  return found;

  function isCut(element, box) {
    for (let at = element; at !== null; at = at.parentElement) {
      const style = getComputedStyle(at);
      const isMeantToScroll = /auto|scroll/u.test(style.overflowX) && !at.matches(VERTICAL);
      if (style.textOverflow === "ellipsis" || isMeantToScroll) {
        return false;
      }
      const edge = at.getBoundingClientRect();
      if (
        style.overflowX !== "visible" &&
        (box.right > edge.right + 1 || box.left < edge.left - 1)
      ) {
        return true;
      }
    }
    return box.right > clientWidth + 1 || box.left < -1;
  }
}
