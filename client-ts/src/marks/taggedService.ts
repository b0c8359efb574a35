import type { CancellationToken } from "vscode";

import type { Requests } from "../protocol.js";
import type { SubagentService } from "../service/service.js";
import type { Marks } from "./marks.js";
import { withoutTags } from "./tagQuery.js";

/** Return the service with queries that may name tags, of which the sidecar knows nothing. */
export function taggedService(
  service: SubagentService,
  store: { readonly marks: Marks },
): SubagentService {
  const request = <M extends keyof Requests>(
    method: M,
    params: Requests[M]["params"],
    token?: CancellationToken,
  ): Promise<Requests[M]["result"]> =>
    service.request(method, translated(params, store.marks), token);
  return new Proxy(service, {
    get: (target, name) => {
      const value: unknown = name === "request" ? request : Reflect.get(target, name, target);
      return typeof value === "function" && name !== "request"
        ? (value.bind(target) as unknown)
        : value;
    },
  });
}

function translated<P>(params: P, marks: Marks): P {
  return typeof params === "object" &&
    params !== null &&
    "query" in params &&
    typeof params.query === "string"
    ? { ...params, query: withoutTags(params.query, marks) }
    : params;
}
