/** The parts of a conversation that are searched besides its items, as the page names them. */
export const PLAN = "plan";
export const GOAL = "goal";
export const VARIABLES = "variables";
export const LOG = "log";
export const END = "end";
