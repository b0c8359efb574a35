import type { LaunchParams } from "../protocol.js";
import type { SubagentService } from "../service/service.js";

type Launch = Pick<LaunchParams, "subagentName" | "placement">;
type Params = Pick<LaunchParams, "additionalDirectories" | "attachments">;
type Taken = Omit<Equipment, "files">;

const NOTHING: Taken = { folders: [], images: [] };

/** What an agent could get: further folders, and images by their paths in the working directory. */
export interface Equipment {
  /** The files that the user attached, which it gets or the launch is refused. */
  readonly files: readonly string[];
  readonly folders: readonly string[];
  readonly images: readonly string[];
}

/** The maximum number of attachments of a launch. */
const MOST_FILES = 20;

/** Return the parameters for the attached files, and for what else the agent of a launch is known to take. */
export async function equipmentParams(
  service: Pick<SubagentService, "request">,
  launch: Launch,
  { files, ...wanted }: Equipment,
): Promise<Params> {
  const { folders, images } = await taken(service, launch, wanted);
  const room = Math.max(0, MOST_FILES - files.length);
  const attachments = [...files, ...images.slice(0, room)].map((path) => ({ path }));
  return {
    ...(folders.length > 0 && { additionalDirectories: [...folders] }),
    ...(attachments.length > 0 && { attachments }),
  };
}

/** Return what the agent is known to take. A node of a cluster has only what git brings there. */
async function taken(
  service: Pick<SubagentService, "request">,
  { subagentName, placement }: Launch,
  { folders, images }: Taken,
): Promise<Taken> {
  if (folders.length === 0 && images.length === 0) {
    return NOTHING;
  }
  const [definitions, runners] = await Promise.all([
    service.request("subagents/list", {}),
    service.request("runners/list", {}),
  ]);
  const named = definitions.items.find(
    ({ name, shadowedBy }) => name === subagentName && shadowedBy === undefined,
  );
  const runner = runners.items.find(({ name }) => name === named?.runner);
  if ((placement ?? named?.placement) === "ray") {
    return NOTHING;
  }
  const { features } = runner ?? {};
  return {
    folders: features?.additionalDirectories === true ? folders : [],
    images: features?.images === true ? images : [],
  };
}

const TYPE = String.raw`\.(?:png|jpe?g|gif|webp)`;
const IMAGE = new RegExp(
  String.raw`(?:^|[\s(])@(?:"(?<quoted>[^"\n]+${TYPE})"|(?<path>[^\s@"]+${TYPE})(?![\w/]))`,
  "giu",
);

/** Return the paths of images that a text names with an `@`, each once; none that leads elsewhere. */
export function imagePaths(text: string): string[] {
  const paths = [...text.matchAll(IMAGE)].map(
    ({ groups }) => groups?.["quoted"] ?? groups?.["path"] ?? "",
  );
  return [...new Set(paths)].filter(
    (path) => !/^(?:[/\\]|[a-z]:)|(?:^|[/\\])\.\.(?:[/\\]|$)/iu.test(path),
  );
}
