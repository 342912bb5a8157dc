import type { Envelope } from "../kernel/envelope.ts";
import type { Json, JsonObject } from "../kernel/json.ts";
import type { CallContext } from "../ports/definitions.ts";
import { placesOf } from "../ports/operations.ts";
import type { Route, Site } from "../ports/services.ts";
import type { Settings } from "../ports/settings.ts";
import { IN_PROCESS } from "./client-address.ts";
import { checkAccess, type Edge } from "./edge.ts";
import type { ServedRoute } from "./operations.ts";

/** The service's own surface, callable in process. It is made before the gateway that answers for it. */
export interface LateSite extends Site {
  attach(routes: readonly ServedRoute[], edge: Edge): void;
}

/** Requests go the whole way through the edge: Host check, route, key, handler. Only the socket is missing. */
export function createSite(settings: Settings): LateSite {
  const never = new AbortController().signal;
  const host = new URL(settings.baseUrl).host;
  let routes: readonly Route[] = [];
  let edge: Edge | undefined;
  const operations = new Map<string, ServedRoute>();
  return {
    get routes() {
      return routes;
    },
    attach(table, handler) {
      routes = table;
      edge = handler;
      // The first path of an operation; the others are aliases.
      for (const route of table)
        if (!operations.has(route.operation.name)) operations.set(route.operation.name, route);
    },
    perform(name, input, context) {
      const route = operations.get(name);
      if (route === undefined) throw new TypeError(`there is no operation ${name}`);
      return performed(route, input, context);
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

/** What a route answers to an input that did not come over HTTP. */
async function performed(route: ServedRoute, input: JsonObject, context: CallContext): Promise<Envelope> {
  const { operation, method, path } = route;
  checkAccess(route, context.caller);
  const places = placesOf(operation);
  const texts = (names: readonly string[]): [string, string][] =>
    names.flatMap((name) => {
      const value = input[name];
      return value === undefined ? [] : [[name, typeof value === "string" ? value : JSON.stringify(value)]];
    });
  const body: Json = Object.fromEntries(
    Object.entries(input).filter(([name]) => !places.path.includes(name) && !places.query.includes(name)),
  );
  const answer = await route.handle({
    method,
    path,
    params: Object.fromEntries(texts(places.path)),
    query: new URLSearchParams(texts(places.query)),
    headers: {},
    body,
    client: IN_PROCESS,
    recheck: () => Promise.resolve(context.caller),
    context,
  });
  if (!("content" in answer) || typeof answer.content !== "string")
    throw new TypeError(`${operation.name} does not answer with an envelope`);
  return JSON.parse(answer.content);
}

function textOf(body: string | Buffer | readonly Buffer[] | null): string {
  if (body === null) return "";
  if (typeof body === "string") return body;
  return Buffer.isBuffer(body) ? body.toString() : Buffer.concat(body).toString();
}
