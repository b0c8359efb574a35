/** The name of the call as which a conversation gets an error that a product noted: no tool can have it. */
export const NOTED_ERROR = "(error)";
