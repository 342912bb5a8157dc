import { ok } from "../kernel/envelope.ts";
import { AppError } from "../kernel/errors.ts";
import { isObject, type JsonObject } from "../kernel/json.ts";
import { allows, type Scope } from "../ports/caller.ts";
import type { HttpRequest, HttpRoute } from "../ports/http.ts";
import { grantedScopes, type ConnectedClient } from "../ports/oauth.ts";
import type { PersonRecord } from "../ports/people.ts";
import type { Provenance } from "../ports/provenance.ts";
import type { Store } from "../ports/store.ts";
import { recordDisconnected } from "../people/audit.ts";
import type { WindowCounter } from "./window-counter.ts";
import type { Decision } from "./consent.ts";
import { COOKIES, PATHS } from "./names.ts";
import { personOf } from "./routes.ts";
import { OAUTH_SCOPES } from "./scopes.ts";
import type { AuthorizationServer } from "./server.ts";

const CLIENTS = "/api/svc/oauth/clients";
const CODES = "/api/svc/oauth/codes";
const MAX_CODE = 40;

/** What these routes work with. */
export interface ClientRouteParts {
  readonly store: Store;
  readonly provenance: Provenance;
  readonly server: AuthorizationServer;
  readonly guesses: WindowCounter;
}

const decision: JsonObject = {
  type: "object",
  properties: {
    scopes: { type: "array", items: { type: "string", enum: [...OAUTH_SCOPES] } },
    denied: { type: "boolean" },
  },
};
const code: JsonObject = { type: "string" };

/** The paths of the consent page, of the page for codes and of the page of connected clients. */
export function clientRoutes(parts: ClientRouteParts): readonly HttpRoute[] {
  return [...consentRoutes(parts), ...codeRoutes(parts), ...connectedRoutes(parts)];
}

function consentRoutes({ store, server }: ClientRouteParts): readonly HttpRoute[] {
  return [
    {
      method: "GET",
      path: `${PATHS.requests}/{uid}/details`,
      summary: "What the client that began this sign-in asks for.",
      access: "person",
      async handle(request) {
        const uid = boundRequest(request);
        const consent = await server.consent();
        return { status: 200, body: ok(await consent.look(uid, await load(store, request))) };
      },
    },
    {
      method: "POST",
      path: `${PATHS.requests}/{uid}/decision`,
      summary: "Decides about a client: {scopes} connects it, {denied: true} does not.",
      access: "person",
      body: decision,
      async handle(request) {
        const uid = boundRequest(request);
        const decided = decisionIn(request.body, []);
        const consent = await server.consent();
        const continueAt = await consent.decide(uid, await load(store, request), decided);
        return { status: 200, body: ok({ continueAt }) };
      },
    },
  ];
}

function codeRoutes({ store, server, guesses }: ClientRouteParts): readonly HttpRoute[] {
  const guarded = async <T>(request: HttpRequest, work: (person: PersonRecord) => Promise<T>): Promise<T> => {
    const person = await load(store, request);
    guesses.check(person.id);
    try {
      return await work(person);
    } catch (error) {
      if (error instanceof AppError && error.code === "not_found") guesses.count(person.id);
      throw error;
    }
  };
  return [
    {
      method: "POST",
      path: `${CODES}/look`,
      summary: "What the program that shows this {code} asks for.",
      access: "person",
      body: { type: "object", required: ["code"], properties: { code } },
      async handle(request) {
        const consent = await server.consent();
        const typed = codeIn(request.body);
        return {
          status: 200,
          body: ok(await guarded(request, (person) => consent.lookAtCode(typed, person))),
        };
      },
    },
    {
      method: "POST",
      path: `${CODES}/decide`,
      summary: "Decides about the program that shows {code}: {scopes} connects it, {denied: true} does not.",
      access: "person",
      body: { ...decision, required: ["code"], properties: { code, ...object(decision["properties"]) } },
      async handle(request) {
        const consent = await server.consent();
        const typed = codeIn(request.body);
        const decided = decisionIn(request.body, ["code"]);
        await guarded(request, (person) => consent.decideCode(typed, person, decided));
        return { status: 200, body: ok({ connected: decided !== "denied" }) };
      },
    },
  ];
}

function connectedRoutes({ store, provenance }: ClientRouteParts): readonly HttpRoute[] {
  return [
    {
      method: "GET",
      path: CLIENTS,
      summary: "The clients that the signed-in person connected; an admin sees all with ?people=all.",
      access: "person",
      async handle(request) {
        const owner = ownerOf(request, request.query.get("people") === "all");
        const clients = await store.read.oauth.clients(owner);
        return { status: 200, body: ok({ clients: clients.map(clientView) }) };
      },
    },
    {
      method: "DELETE",
      path: `${CLIENTS}/{id}`,
      summary: "Disconnects a client: its tokens stop working at once.",
      access: "person",
      async handle(request) {
        const id = request.params["id"] ?? "";
        const { caller } = request.context;
        await store.transact(async (tx) => {
          const client = await tx.oauth.client(id);
          const owner = ownerOf(request, allows(caller, "admin"));
          if (client === null || (owner !== null && client.personId !== owner)) throw noClient();
          await tx.oauth.removeGrant(id);
          await recordDisconnected(tx, provenance, client, caller.id);
        });
        return { status: 200, body: ok({ disconnected: 1 }) };
      },
    },
  ];
}

/** Whose clients a person sees: the own ones, or those of all (null) for an admin who asks for them. */
function ownerOf({ context: { caller } }: HttpRequest, wantsAll: boolean): string | null {
  if (!wantsAll) return caller.id;
  if (allows(caller, "admin")) return null;
  throw new AppError("forbidden", "Only an admin sees the connected clients of other people.", {
    nextAction: "Leave people=all out to see your own.",
  });
}

function clientView(client: ConnectedClient): JsonObject {
  const { grantId, personId, clientId, name, host, createdAt, lastUsedAt, expiresAt } = client;
  return {
    id: grantId,
    personId,
    clientId,
    name,
    host,
    scopes: [...grantedScopes(client)],
    resources: Object.keys(object(client.payload["resources"])),
    createdAt,
    lastUsedAt,
    expiresAt,
  };
}

function object(value: unknown): JsonObject {
  return isObject(value) ? JSON.parse(JSON.stringify(value)) : {};
}

/** Only the browser that came from the client may decide: a link that is sent to somebody else decides nothing. */
function boundRequest({ params, headers }: HttpRequest): string {
  const uid = params["uid"] ?? "";
  const cookies = (headers["cookie"] ?? "").split(";").map((part) => part.trim());
  if (cookies.includes(`${COOKIES.interaction}=${uid}`)) return uid;
  throw new AppError("not_found", "This request to connect did not begin in this browser, or it is over.", {
    nextAction: "Start again in the program that you want to connect.",
  });
}

async function load(store: Store, request: HttpRequest): Promise<PersonRecord> {
  const person = await store.read.people.get(personOf(request));
  if (person === null) throw new AppError("not_found", "The account does not exist any more.");
  return person;
}

function decisionIn(body: unknown, more: readonly string[]): Decision {
  const given = isObject(body) ? body : {};
  const known = ["scopes", "denied", ...more];
  const unknown = Object.keys(given).filter((name) => !known.includes(name));
  const { denied, scopes } = given;
  if (unknown.length === 0 && denied === true && scopes === undefined) return "denied";
  if (unknown.length === 0 && denied === undefined && Array.isArray(scopes) && scopes.every(isScope))
    return { scopes: [...new Set(scopes)] };
  throw new AppError("invalid_input", 'Send {"scopes": […]} to connect the client, or {"denied": true}.', {
    problems: [
      {
        pointer: unknown[0] === undefined ? "/scopes" : `/${unknown[0]}`,
        message: unknown[0] === undefined ? "is not a list of scopes" : "is not known",
        expected: `scopes out of ${OAUTH_SCOPES.join(", ")}`,
      },
    ],
  });
}

function isScope(value: unknown): value is Scope {
  return OAUTH_SCOPES.some((scope) => scope === value);
}

function codeIn(body: unknown): string {
  const typed = isObject(body) ? body["code"] : undefined;
  if (typeof typed === "string" && typed.length <= MAX_CODE) return typed;
  throw new AppError("invalid_input", '"code" must be the code that the program shows.', {
    problems: [{ pointer: "/code", message: "is not a code", expected: "a text such as BCDF-GHJK" }],
  });
}

function noClient(): AppError {
  return new AppError("not_found", "There is no connected client with this id among yours.", {
    nextAction: `GET ${CLIENTS} lists them.`,
  });
}
