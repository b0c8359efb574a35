import * as vscode from "vscode";

/** The part of the Python extension's API that is used. */
interface PythonExtensionApi {
  readonly environments?: {
    getActiveEnvironmentPath(): { readonly path: string };
    resolveEnvironment(
      environment: unknown,
    ): Promise<{ readonly executable: { readonly uri?: vscode.Uri } } | undefined>;
  };
}

/** How long the Python extension may take to answer; there are other ways to find Python. */
const ANSWER_MS = 5_000;

/**
 * Ask the Python extension, if it is installed, which interpreter the user has selected.
 *
 * Only in a trusted workspace: the interpreter may be a file of the workspace itself.
 */
export async function selectedInterpreter(): Promise<string | undefined> {
  const extension = vscode.extensions.getExtension<PythonExtensionApi>("ms-python.python");
  if (extension === undefined || !vscode.workspace.isTrusted) {
    return undefined;
  }
  const late = new Promise<undefined>((resolve) => setTimeout(resolve, ANSWER_MS, undefined));
  return Promise.race([resolve(extension), late]);
}

async function resolve(
  extension: vscode.Extension<PythonExtensionApi>,
): Promise<string | undefined> {
  try {
    const { environments } = await extension.activate();
    const resolved = await environments?.resolveEnvironment(
      environments.getActiveEnvironmentPath(),
    );
    return resolved?.executable.uri?.fsPath;
  } catch {
    return undefined;
  }
}
