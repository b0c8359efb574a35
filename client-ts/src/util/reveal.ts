/** How a conversation is shown. */
export interface Reveal {
  /** Whether a new tab opens to the side. */
  readonly toSide?: boolean;
  /** Whether the focus stays where it is: nothing is shown that would need it. */
  readonly keepsFocus?: boolean;
}
