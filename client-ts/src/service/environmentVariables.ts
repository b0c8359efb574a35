/**
 * Return the environment for the sidecar and its runs: the window's, without the variables that
 * control the editor's own processes, as in the editor's terminals.
 */
export function sidecarEnvironment(inherited: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const kept = Object.entries(inherited).filter(([name]) => !/^(ELECTRON|VSCODE)_/.test(name));
  return Object.fromEntries(kept);
}

/** Return the environment for pip: `proxy` is the setting `http.proxy`, "" if unset. */
export function pipEnvironment(inherited: NodeJS.ProcessEnv, proxy: string): NodeJS.ProcessEnv {
  const environment = sidecarEnvironment(inherited);
  const hasProxy = Object.keys(environment).some((name) => /^(https?|all)_proxy$/i.test(name));
  return proxy === "" || hasProxy ? environment : { ...environment, HTTPS_PROXY: proxy };
}
