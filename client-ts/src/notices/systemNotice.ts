import { execFile } from "node:child_process";
import { homedir } from "node:os";
import path from "node:path";

/** The command of the companion extension that shows a notification of the system. */
export const SHOW_COMMAND = "subagentSidecarNotifier.show";

/** How long the program of the system may take, in ms. */
const LIMIT_MS = 20_000;

/** A program that shows a notification of the system, and what it gets. */
export interface NoticeCommand {
  readonly program: string;
  readonly args: readonly string[];
  /** Further variables of its environment. */
  readonly env?: Readonly<Record<string, string>>;
}

/** The texts are arguments, which AppleScript does not read as a script. */
const APPLE_SCRIPT =
  "on run texts\ndisplay notification (item 2 of texts) with title (item 1 of texts)\nend run";

/** The texts are variables that become text nodes, which are neither script nor markup. */
const TOAST_SCRIPT = [
  "$ErrorActionPreference = 'Stop'",
  "$null = [Windows.UI.Notifications.ToastNotificationManager, Windows.UI.Notifications, ContentType = WindowsRuntime]",
  "$xml = [Windows.UI.Notifications.ToastNotificationManager]::GetTemplateContent(1)",
  "$texts = $xml.GetElementsByTagName('text')",
  "$null = $texts.Item(0).AppendChild($xml.CreateTextNode($env:SUBAGENT_NOTICE_TITLE))",
  "$null = $texts.Item(1).AppendChild($xml.CreateTextNode($env:SUBAGENT_NOTICE_TEXT))",
  "$app = '{1AC14E77-02E7-4E5D-B744-2EB1AE5198B7}\\WindowsPowerShell\\v1.0\\powershell.exe'",
  "[Windows.UI.Notifications.ToastNotificationManager]::CreateToastNotifier($app).Show([Windows.UI.Notifications.ToastNotification]::new($xml))",
].join("\n");

/** Return what shows a notification on a platform; undefined if it has nothing for it. */
export function noticeCommand(
  platform: NodeJS.Platform,
  title: string,
  text: string,
  systemRoot = process.env["SystemRoot"] ?? "C:\\Windows",
): NoticeCommand | undefined {
  switch (platform) {
    case "linux":
      return { program: "notify-send", args: [`--app-name=${title}`, "--", title, markup(text)] };
    case "darwin":
      return {
        program: "/usr/bin/osascript",
        args: ["-e", APPLE_SCRIPT, ...[title, text].map(notAnOption)],
      };
    case "win32":
      return {
        program: path.win32.join(systemRoot, "System32/WindowsPowerShell/v1.0/powershell.exe"),
        args: ["-NoProfile", "-NonInteractive", "-Command", TOAST_SCRIPT],
        env: { SUBAGENT_NOTICE_TITLE: title, SUBAGENT_NOTICE_TEXT: text },
      };
    default:
      return undefined;
  }
}

/**
 * Show a notification of the system, without a shell. Resolves to what went wrong; to undefined if it is
 * shown, or if this system has no program for it.
 */
export async function showSystemNotice(
  title: string,
  text: string,
  platform = process.platform,
): Promise<string | undefined> {
  const command = noticeCommand(platform, title, text);
  return command && (await run(command));
}

function run({ program, args, env }: NoticeCommand): Promise<string | undefined> {
  const options = {
    ...{ cwd: homedir(), env: { ...process.env, ...env } },
    ...{ timeout: LIMIT_MS, windowsHide: true },
  };
  return new Promise((resolve) => {
    execFile(program, args, options, (error) => {
      resolve(error === null || error.code === "ENOENT" ? undefined : error.message);
    });
  });
}

/** Return a text that a program does not take for an option, such as one with a further script. */
function notAnOption(text: string): string {
  return text.startsWith("-") ? ` ${text}` : text;
}

/** Return a text that a desktop shows as it is: it reads markup, and notify-send reads backslashes. */
function markup(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll("\\", "\\\\");
}
