import type { Route, Site } from "../ports/services.ts";
import type { Settings } from "../ports/settings.ts";
import { IN_PROCESS } from "./client-address.ts";
import type { Edge } from "./edge.ts";

/** The service's own surface, callable in process. It is made before the gateway that answers for it. */
export interface LateSite extends Site {
  attach(routes: readonly Route[], edge: Edge): void;
}

/** Requests go the whole way through the edge: Host check, route, key, handler. Only the socket is missing. */
export function createSite(settings: Settings): LateSite {
  const never = new AbortController().signal;
  const host = new URL(settings.baseUrl).host;
  let routes: readonly Route[] = [];
  let edge: Edge | undefined;
  return {
    get routes() {
      return routes;
    },
    attach(table, handler) {
      routes = table;
      edge = handler;
    },
    async request(method, path, headers = {}, body) {
      if (edge === undefined) throw new TypeError("the site is used before the gateway is attached");
      const sent = Object.entries({ host, ...headers }).map(
        ([name, value]) => [name.toLowerCase(), value] as const,
      );
      const answer = await edge.handle({
        method,
        url: path,
        headers: Object.fromEntries(sent),
        remote: IN_PROCESS,
        body: body === undefined ? null : Buffer.from(body),
        bodyError: null,
        signal: () => never,
      });
      const received: Record<string, string> = {};
      for (let i = 0; i + 1 < answer.headers.length; i += 2)
        received[answer.headers[i] ?? ""] = answer.headers[i + 1] ?? "";
      return { status: answer.status, headers: received, body: textOf(answer.body) };
    },
  };
}

function textOf(body: string | Buffer | readonly Buffer[] | null): string {
  if (body === null) return "";
  if (typeof body === "string") return body;
  return Buffer.isBuffer(body) ? body.toString() : Buffer.concat(body).toString();
}
