import type { CancellationToken } from "vscode";
import { ResponseError } from "vscode-jsonrpc/node";

import { ErrorCode, type Requests } from "../protocol.js";
import type { SubagentService } from "../service/service.js";
import { queryError } from "../text/queryText.js";
import { messageOf } from "../util/errors.js";
import type { Marks } from "./marks.js";
import { placeInQuery, withoutTags } from "./tagQuery.js";

/** Return the service with queries that may name tags, of which the sidecar knows nothing. */
export function taggedService(
  service: SubagentService,
  store: { readonly marks: Marks },
): SubagentService {
  const request = async <M extends keyof Requests>(
    method: M,
    params: Requests[M]["params"],
    token?: CancellationToken,
  ): Promise<Requests[M]["result"]> => {
    const { marks } = store;
    try {
      return await service.request(method, translated(params, marks), token);
    } catch (error) {
      const query = queryOf(params);
      throw query === undefined ? error : ofTyped(error, query, marks);
    }
  };
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
  const query = queryOf(params);
  return query === undefined ? params : { ...params, query: withoutTags(query, marks) };
}

function queryOf(params: unknown): string | undefined {
  return typeof params === "object" &&
    params !== null &&
    "query" in params &&
    typeof params.query === "string"
    ? params.query
    : undefined;
}

/** Return the error in a query as one in what the user typed, who may also name tags. */
function ofTyped(error: unknown, query: string, marks: Marks): unknown {
  const problem = queryError(error);
  if (problem === undefined) {
    return error;
  }
  const { position, expected } = problem;
  const data = {
    position: placeInQuery(query, marks, position),
    expected: expected.replace(/^a field \(/u, "$&tag, "),
  };
  return new ResponseError(ErrorCode.InvalidParams, messageOf(error), data);
}
