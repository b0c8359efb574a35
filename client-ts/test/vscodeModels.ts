// What the tested modules use of the editor's API for models, as plain objects.

export class CancellationError extends Error {}

export class LanguageModelTextPart {
  constructor(readonly value: string) {}
}

export class LanguageModelToolResult {
  constructor(readonly content: readonly LanguageModelTextPart[]) {}
}

interface Tool {
  prepareInvocation(
    options: object,
  ): Promise<{ confirmationMessages?: { title: string; message: { value: string } } }>;
  invoke(options: object, token: object): Promise<LanguageModelToolResult>;
}

/** The tools that are registered, by name. */
export const registeredTools = new Map<string, Tool>();

export const lm = {
  registerTool: (name: string, tool: Tool) => {
    registeredTools.set(name, tool);
    return { dispose: () => registeredTools.delete(name) };
  },
};

/** The commands that were run, with their arguments. */
export const ranCommands: unknown[][] = [];

export const commands = {
  executeCommand: (...command: unknown[]): Promise<void> => {
    ranCommands.push(command);
    return Promise.resolve();
  },
};

/** A place in a document. */
export class Location {
  constructor(readonly uri: unknown) {}
}
