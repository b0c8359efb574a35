import { beforeEach, expect, test, vi } from "vitest";

import type { ServiceState, SubagentService } from "../../../src/service/service.js";
import { showWindowCount } from "../../../src/windows/windowCount.js";
import { EventEmitter, focusChanges, shown } from "../../vscode.js";

const states = new EventEmitter<ServiceState>();
const settings = new EventEmitter<void>();
const request = vi.fn<() => Promise<{ clients: number }>>();
const service = {
  state: { kind: "running" } as ServiceState,
  onDidChangeState: states.event,
  onDidChangeSettings: settings.event,
  request,
};

beforeEach(() => {
  service.state = { kind: "running" };
});

function show() {
  return showWindowCount(service as unknown as SubagentService);
}

test("the status bar says how many windows share the subagents when the window gets the focus", async () => {
  request.mockResolvedValue({ clients: 3 });
  const count = show();
  expect(shown.statusItem?.visible).toBe(false);
  focusChanges.fire({ focused: true });
  await vi.waitFor(() => {
    expect(shown.statusItem).toMatchObject({
      visible: true,
      text: "$(multiple-windows) 3",
      tooltip: "3 windows share these subagents.",
    });
  });
  count.dispose();
});

test("one window alone is not counted, nor is a sidecar asked that does not run", async () => {
  request.mockReset().mockResolvedValue({ clients: 1 });
  const count = show();
  await count.refresh();
  expect(shown.statusItem?.visible).toBe(false);
  service.state = { kind: "idle" };
  await count.refresh();
  expect(request).toHaveBeenCalledTimes(1);
  count.dispose();
});
