import { ok } from "../kernel/envelope.ts";
import { AppError } from "../kernel/errors.ts";
import { requireScope } from "../ports/caller.ts";
import { pageOfQuery, type HttpAnswer, type HttpRequest, type HttpRoute } from "../ports/http.ts";
import { CHANGE_BODY, CREDENTIAL_BODY } from "./kinds.ts";
import { CALLBACK_PATH, CLIENT_PATH, SIGN_IN_PATH } from "./oauth-client.ts";
import { signInPage } from "./page.ts";
import type { Vault } from "./vault.ts";

const CREDENTIALS = "/api/svc/credentials";
const PAGE_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** The paths with which an operator manages credentials, and those of the OAuth client. */
export function createVaultRoutes(vault: Vault): readonly HttpRoute[] {
  return [...credentialRoutes(vault), ...oauthRoutes(vault)];
}

function credentialRoutes(vault: Vault): readonly HttpRoute[] {
  return [
    {
      method: "GET",
      path: CREDENTIALS,
      summary: "Credentials without their secrets, by name (limit, cursor).",
      access: "key",
      async handle({ query, context }) {
        requireScope(context.caller, "admin");
        const { credentials, nextCursor } = await vault.list(pageOfQuery(query));
        return { status: 200, body: ok({ credentials, nextCursor }) };
      },
    },
    {
      method: "POST",
      path: CREDENTIALS,
      summary: "Stores a credential; no answer ever holds its secret.",
      access: "key",
      body: CREDENTIAL_BODY,
      status: 201,
      async handle({ body, context }) {
        requireScope(context.caller, "admin");
        return { status: 201, body: ok({ credential: await vault.create(body, context.caller) }) };
      },
    },
    {
      method: "GET",
      path: `${CREDENTIALS}/{name}`,
      summary: "One credential without its secret (owner).",
      access: "key",
      async handle(request) {
        const { name, owner, caller } = addressed(request);
        return { status: 200, body: ok({ credential: await vault.get(name, owner, caller) }) };
      },
    },
    {
      method: "PATCH",
      path: `${CREDENTIALS}/{name}`,
      summary: "Replaces the secret or the hosts of a credential (owner).",
      access: "key",
      body: CHANGE_BODY,
      async handle(request) {
        const { name, owner, caller } = addressed(request);
        const credential = await vault.change(name, owner, request.body, caller);
        return { status: 200, body: ok({ credential }) };
      },
    },
    {
      method: "DELETE",
      path: `${CREDENTIALS}/{name}`,
      summary: "Removes a credential with its secret (owner).",
      access: "key",
      async handle(request) {
        const { name, owner, caller } = addressed(request);
        await vault.remove(name, owner, caller);
        return { status: 200, body: ok({ removed: name }) };
      },
    },
    {
      method: "POST",
      path: `${CREDENTIALS}/{name}/authorize`,
      summary: "Begins the sign-in of an oauth2 credential: the address that a person opens (owner).",
      access: "key",
      body: { type: "object" },
      async handle(request) {
        const { name, owner, caller } = addressed(request);
        const started = await vault.beginSignIn(name, owner, caller, request.context.signal);
        return { status: 200, body: ok({ ...started }) };
      },
    },
    {
      method: "POST",
      path: "/api/svc/vault/rotate",
      summary: "Wraps every data key with the newest master key; a key file gets a new one first.",
      access: "key",
      body: { type: "object" },
      async handle({ context }) {
        requireScope(context.caller, "admin");
        return { status: 200, body: ok({ rotation: await vault.rotate(context.caller) }) };
      },
    },
  ];
}

function oauthRoutes(vault: Vault): readonly HttpRoute[] {
  return [
    {
      method: "GET",
      path: CLIENT_PATH,
      summary: "The client id metadata document: who this service is to authorization servers.",
      access: "public",
      contentType: "application/json",
      handle: () => ({
        status: 200,
        headers: { "cache-control": "public, max-age=300" },
        contentType: "application/json; charset=utf-8",
        content: JSON.stringify(vault.oauth.clientMetadata()),
      }),
    },
    {
      method: "GET",
      path: CALLBACK_PATH,
      summary: "Where an authorization server sends the browser back to.",
      access: "public",
      contentType: "text/html",
      handle: (request) => finishSignIn(vault, request),
    },
    {
      method: "GET",
      path: `${SIGN_IN_PATH}/{ticket}`,
      summary:
        "Where the sign-in of a credential begins: says which credential it is for, and binds it to this browser.",
      access: "public",
      contentType: "text/html",
      handle: (request) => beginSignIn(vault, request),
    },
  ];
}

/** Names the credential and whose it is before the person goes on; the cookie shows later that it is the same browser. */
async function beginSignIn(vault: Vault, { params, context }: HttpRequest): Promise<HttpAnswer> {
  const { settings, store } = context.services;
  const { baseUrl } = settings;
  const ticket = params["ticket"] ?? "";
  return explained(baseUrl, async () => {
    const { name, owner, startedBy, state, authorizationUrl } = await vault.lookAtSignIn(ticket);
    const called = async (id: string): Promise<string> => (await store.read.people.get(id))?.name ?? id;
    const whose = owner === "" ? "shared by everybody here" : `of ${await called(owner)}`;
    const text = `${await called(startedBy)} asks to sign the credential "${name}" in, which is ${whose}. Everybody who may use it then acts at ${new URL(authorizationUrl).host} as you.`;
    const secure = baseUrl.startsWith("https:") ? "; Secure" : "";
    const cookie = `${cookieName(state)}=${ticket}; Path=${CALLBACK_PATH}; HttpOnly; SameSite=Lax; Max-Age=600${secure}`;
    const next = { href: authorizationUrl, text: "Continue to the sign-in" };
    const answer = page(200, signInPage("Sign in a credential", text, baseUrl, next));
    return { ...answer, headers: { ...answer.headers, "set-cookie": cookie } };
  });
}

function cookieName(state: string): string {
  return `suite-sign-in-${state.slice(0, 8)}`;
}

function cookieOf(header: string | undefined, name: string): string | null {
  const pairs = (header ?? "").split("; ").map((pair) => pair.split("="));
  return pairs.find(([one]) => one === name)?.[1] ?? null;
}

/** A person sees the outcome, so it is a page also when it failed. */
async function finishSignIn(vault: Vault, { query, headers, context }: HttpRequest): Promise<HttpAnswer> {
  const { baseUrl } = context.services.settings;
  const answer = {
    state: query.get("state"),
    ticket: cookieOf(headers["cookie"], cookieName(query.get("state") ?? "")),
    code: query.get("code"),
    iss: query.get("iss"),
    error: query.get("error"),
  };
  return explained(baseUrl, async () => {
    const { name } = await vault.finishSignIn(answer, context.signal);
    const text = `The credential ${name} is ready. You can close this window.`;
    return page(200, signInPage("Signed in", text, baseUrl));
  });
}

async function explained(baseUrl: string, work: () => Promise<HttpAnswer>): Promise<HttpAnswer> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const text = [error.message, error.info.nextAction ?? ""].join(" ").trim();
    return page(400, signInPage("The sign-in did not succeed", text, baseUrl));
  }
}

function page(status: number, content: string): HttpAnswer {
  return {
    status,
    headers: { "content-security-policy": PAGE_POLICY },
    contentType: "text/html; charset=utf-8",
    content,
  };
}

function addressed(request: HttpRequest): {
  readonly name: string;
  readonly owner: string | null;
  readonly caller: HttpRequest["context"]["caller"];
} {
  const { caller } = request.context;
  // Everybody manages what is their own.
  if (request.query.get("owner") !== "me") requireScope(caller, "admin");
  return {
    name: decoded(request.path.slice(CREDENTIALS.length + 1).split("/")[0] ?? ""),
    owner: request.query.get("owner"),
    caller,
  };
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
