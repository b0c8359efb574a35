/** Whether the page is shown on a Mac, whose keys have other modifiers. */
export function isMac(): boolean {
  return /^mac/iu.test(navigator.platform);
}
