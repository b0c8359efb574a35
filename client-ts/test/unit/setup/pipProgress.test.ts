import { expect, test } from "vitest";

import { PipProgress } from "../../../src/setup/pipProgress.js";

const REQUIREMENTS = `# a comment
annotated-types==0.8.0 \\
    --hash=sha256:13b2
orjson==3.13.0 \\
    --hash=sha256:5f0f
./subagent_sidecar-0.2.0-py3-none-any.whl --hash=sha256:0a0a
`;

test("the progress of pip names each package and counts it once", () => {
  const progress = new PipProgress(REQUIREMENTS);
  expect(progress.take("Collecting annotated-types==0.8.0 (from -r x (line 1))")).toBe(
    "Downloading annotated-types (1 of 3)…",
  );
  expect(progress.take("  Downloading annotated_types-0.8.0.whl (13 kB)")).toBeUndefined();
  expect(progress.take("Collecting orjson")).toBe("Downloading orjson (2 of 3)…");
  expect(progress.take("Collecting orjson")).toBe("Downloading orjson (2 of 3)…");
  expect(progress.take("Processing ./subagent_sidecar-0.2.0-py3-none-any.whl")).toBe(
    "Downloading subagent_sidecar (3 of 3)…",
  );
  expect(progress.step).toBe("download");
  expect(progress.take("Installing collected packages: a, b")).toBe("Installing packages…");
  expect(progress.step).toBe("install");
});
