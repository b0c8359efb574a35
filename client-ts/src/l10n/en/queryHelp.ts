/** What users can type to search or filter the task history. */
export const queryHelp = {
  heading: "Query Language",
  introduction: `Search is case-insensitive and covers the title, mode and folder of a task, as well as its ID if you type at
least the first six characters of it; all words must occur. Use **"quotes"** for phrases. *Search Task History* also
searches messages.`,
  columns: ["Field", "Finds"],
  fields: {
    status: "tasks with this status, or with an outcome such as `waiting`",
    outcome: "tasks with this outcome, which is more specific than the status",
    title: "text in the title",
    id: "start of the ID",
    tag: "tasks that you gave this tag",
    mode: "the mode the task ran in",
    workspace: "text in the path of the workspace",
    root: "text in the path of the root",
    model: "text in the model name",
    parent: "subtasks and child sessions of the task with this ID prefix",
    kept: "copies of sessions that their product deletes",
    file: "tasks that touched this file; slower, because it reads messages",
    numbers: "numbers, with `>` `>=` `<` `<=` `=`; cost in USD",
    estimate: "estimated cost in USD of tasks without a recorded one",
    dates: "time of creation or of the last activity: a date or an age",
    duration: "time from creation to the last activity",
    since: "the last activity, as an age or a date",
  },
  or: "or",
  combining: `Terms next to each other must all match. \`OR\` matches either side, \`NOT\` or \`-\` excludes, and
parentheses group:`,
};
