/** What the confirmations read of the arguments of `task`; the sidecar checks all of them. */
export interface TaskInput {
  readonly subagent_name: string;
  readonly goal_prompt: string;
  readonly behaviour_prompts?: readonly string[];
  readonly tool_whitelist?: readonly string[];
  readonly timeout_seconds?: number;
  readonly async?: boolean;
  readonly context?: Readonly<Record<string, unknown>>;
}

/** What the confirmations read of the arguments of `check_async_tasks`. */
export interface CheckInput {
  readonly task_id?: string;
  readonly action?: string;
  readonly message?: string;
}

/** Whether the call ends a run. */
export function cancels({ action }: CheckInput): boolean {
  return action === "cancel";
}

/** Whether the call sends a run a message. */
export function sends({ action }: CheckInput): boolean {
  return action === "send";
}

/** Read the arguments of `task`; those that a model got wrong count as absent. */
export function taskInput(input: unknown): TaskInput {
  const given = members(input);
  const prompts = texts(given["behaviour_prompts"]);
  const tools = texts(given["tool_whitelist"]);
  const seconds = given["timeout_seconds"];
  const context = given["context"];
  return {
    subagent_name: text(given["subagent_name"]).trim(),
    goal_prompt: text(given["goal_prompt"]),
    async: given["async"] === true,
    ...(prompts === undefined ? {} : { behaviour_prompts: prompts }),
    ...(tools === undefined ? {} : { tool_whitelist: tools }),
    ...(typeof seconds === "number" ? { timeout_seconds: seconds } : {}),
    ...(typeof context === "object" && context !== null ? { context: members(context) } : {}),
  };
}

/** Read the arguments of `check_async_tasks`; those that a model got wrong count as absent. */
export function checkInput(input: unknown): CheckInput {
  const { task_id: id, action, message } = members(input);
  return {
    ...(typeof id === "string" ? { task_id: id } : {}),
    ...(typeof action === "string" ? { action } : {}),
    ...(typeof message === "string" ? { message } : {}),
  };
}

/** Return the members of an object; of anything else none. */
export function members(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function texts(value: unknown): string[] | undefined {
  return Array.isArray(value)
    ? value.filter((item): item is string => typeof item === "string")
    : undefined;
}
