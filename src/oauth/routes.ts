import { AppError } from "../kernel/errors.ts";
import type { JsonObject } from "../kernel/json.ts";
import type { HttpAnswer, HttpRequest, HttpRoute } from "../ports/http.ts";
import { MCP_PATHS, RESOURCE_METADATA, type Resources } from "./resources.ts";
import { PATHS } from "./names.ts";
import type { AuthorizationServer } from "./server.ts";

const FORM = "application/x-www-form-urlencoded";
const JSON_TYPE = "application/json";

/** The metadata of this service as a protected resource (RFC 9728), for the service and for each MCP endpoint. */
export function resourceRoutes(resources: Resources): readonly HttpRoute[] {
  return (["", ...MCP_PATHS] as const).map((path) => ({
    method: "GET",
    path: `${RESOURCE_METADATA}${path}`,
    summary: `Protected resource metadata of ${path === "" ? "this service" : path}: who gives tokens for it.`,
    access: "public",
    contentType: JSON_TYPE,
    handle: () => document(resources.metadata(path)),
  }));
}

/** The endpoints of the authorization server. */
export function serverRoutes(server: AuthorizationServer): readonly HttpRoute[] {
  const form = (path: string, needed: string, summary: string): HttpRoute => ({
    method: "POST",
    path,
    summary,
    access: "public",
    contentType: JSON_TYPE,
    bodyType: FORM,
    handle: (request) => server.form(request, needed),
  });
  return [
    {
      method: "GET",
      path: PATHS.metadata,
      summary: "Authorization server metadata: where MCP clients register and sign in.",
      access: "public",
      contentType: JSON_TYPE,
      handle: () => document(server.metadata()),
    },
    {
      method: "GET",
      path: PATHS.authorize,
      summary: "Begins the sign-in of an MCP client in a browser (OAuth 2.1 code flow with PKCE).",
      access: "public",
      contentType: "text/html",
      handle: (request) => server.authorize(request),
    },
    {
      method: "GET",
      path: `${PATHS.authorize}/{uid}`,
      summary: "Goes on with the sign-in of an MCP client after the person decided.",
      access: "public",
      contentType: "text/html",
      handle: (request) => server.resume(request),
    },
    form(PATHS.token, "grant_type", "Gives tokens for a code, a refresh token or a device code."),
    form(PATHS.revoke, "token", "Revokes a token of the client that sends it."),
    form(PATHS.deviceAuthorization, "client_id", "Begins the sign-in of a program without a browser."),
    {
      method: "POST",
      path: PATHS.register,
      summary: "Registers an MCP client (RFC 7591); it can do nothing until a person connects it.",
      access: "public",
      status: 201,
      contentType: JSON_TYPE,
      maxBodyBytes: 16_384,
      body: {
        type: "object",
        required: ["redirect_uris"],
        properties: {
          redirect_uris: { type: "array", items: { type: "string" } },
          client_name: { type: "string" },
          grant_types: { type: "array", items: { type: "string" } },
        },
      },
      handle: (request) => server.register(request),
    },
  ];
}

function document(content: JsonObject): HttpAnswer {
  return {
    status: 200,
    headers: { "access-control-allow-origin": "*", "cache-control": "public, max-age=300" },
    contentType: JSON_TYPE,
    content: JSON.stringify(content),
  };
}

/** The id of the person who sends a request; the gateway lets nobody else reach a route of access `person`. */
export function personOf({ context: { caller } }: HttpRequest): string {
  if (caller.kind === "person") return caller.id;
  throw new AppError("forbidden", "Only a signed-in person decides which clients are connected.");
}
