import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import type { OAuthTokens, OutputOf } from "../../packages/client/client.ts";
import type { Json } from "../../src/kernel/json.ts";
import type { Answer, Member } from "../people/support.ts";
import type { AnswerAt } from "../support/answers.ts";
import { foundAt } from "../support/json.ts";
import type { TestService } from "../support/service.ts";

type Service = Pick<TestService, "url" | "fetch">;

/** A client as these tests script it. */
export interface ScriptedClient {
  readonly clientId: string;
  readonly redirectUri: string;
}

/** An answer of an OAuth endpoint: what it gives, or an error in its place. */
interface OAuthAnswer<T> {
  readonly status: number;
  readonly json: T & { readonly error: string; readonly error_description: string };
}

/** What a sign-in gives. */
interface Tokens extends OAuthTokens {
  readonly refresh_token: string;
  readonly scope: string;
}

/** What a registration gives. */
interface Registration {
  readonly client_id: string;
  readonly client_name: string;
  readonly client_secret?: string;
  readonly token_endpoint_auth_method: string;
}

/** What forms are answered with. */
interface FormAnswers {
  readonly "/oauth/token": Tokens;
  readonly "/oauth/device": OutputOf<"begin_device_sign_in">;
  readonly "/oauth/revoke": object;
}

/** The page on which a person decides about a client. */
type ConsentPage = `/oauth/requests/${string}`;

/** The document about what tokens are for. */
export async function resourceMetadata(
  service: Service,
  path: string,
): Promise<OutputOf<"get_resource_metadata">> {
  return JSON.parse(await (await service.fetch(path)).text());
}

/** The document about the authorization server. */
export async function serverMetadata(
  service: Service,
  path = "/.well-known/oauth-authorization-server",
): Promise<OutputOf<"get_authorization_server_metadata">> {
  return JSON.parse(await (await service.fetch(path)).text());
}

/** A PKCE pair. */
export function pkce(): { readonly verifier: string; readonly challenge: string } {
  const verifier = randomBytes(32).toString("base64url");
  return { verifier, challenge: createHash("sha256").update(verifier).digest("base64url") };
}

/** Registers a client dynamically. */
export async function register(
  service: Service,
  metadata: Readonly<Record<string, unknown>>,
): Promise<OAuthAnswer<Registration>> {
  const response = await service.fetch("/oauth/register", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(metadata),
  });
  return { status: response.status, json: JSON.parse(await response.text()) };
}

/** A registered client with one redirect URI. */
export async function newClient(
  service: Service,
  redirectUri = "https://client.example/callback",
): Promise<ScriptedClient> {
  const { status, json } = await register(service, {
    client_name: "Scripted client",
    redirect_uris: [redirectUri],
  });
  assert.equal(status, 201, JSON.stringify(json));
  return { clientId: json.client_id, redirectUri };
}

/** The query of an authorization request. */
export function authorizeQuery(
  client: ScriptedClient,
  challenge: string,
  more: Readonly<Record<string, string>> = {},
): URLSearchParams {
  return new URLSearchParams({
    response_type: "code",
    client_id: client.clientId,
    redirect_uri: client.redirectUri,
    code_challenge: challenge,
    code_challenge_method: "S256",
    state: "some-state",
    ...more,
  });
}

/** A browser that keeps cookies, in which a person is signed in. */
export class Browser {
  readonly #service: Service;
  readonly #member: Member;
  readonly #jar = new Map<string, string>();

  constructor(service: Service, member: Member) {
    this.#service = service;
    this.#member = member;
  }

  /** Opens an address of the service without following redirects. */
  async open(address: string): Promise<Response> {
    const path = address.startsWith("http") ? address.slice(this.#service.url.length) : address;
    const response = await this.#service.fetch(path, {
      redirect: "manual",
      headers: {
        accept: "text/html",
        // What browsers send along when they come from another site.
        cookie: [this.#member.visitor.device, this.#cookies()].filter((one) => one).join("; "),
      },
    });
    for (const line of response.headers.getSetCookie()) {
      const [pair = ""] = line.split(";");
      const at = pair.indexOf("=");
      this.#jar.set(pair.slice(0, at), pair.slice(at + 1));
    }
    return response;
  }

  /** Asks what the page asks. */
  async ask<M extends string, P extends string>(
    method: M,
    path: P,
    body?: unknown,
  ): Promise<Answer<AnswerAt<M, P>>> {
    const { headers } = this.#member.visitor;
    const cookie = [headers["cookie"], this.#cookies()].filter((one) => one !== "").join("; ");
    return this.#member.visitor.ask(method, path, body, { ...headers, cookie });
  }

  /** Goes from the client's link to the consent page; gives its path. */
  async begin(address: string): Promise<ConsentPage> {
    const response = await this.open(address);
    assert.equal(response.status, 303, await response.text());
    const [, uid] = /^\/oauth\/requests\/([^/]+)$/.exec(response.headers.get("location") ?? "") ?? [];
    assert.ok(uid !== undefined, String(response.headers.get("location")));
    return `/oauth/requests/${uid}`;
  }

  /** Consents on the page and goes back to the client; gives the address that the client is called with. */
  async decide(page: ConsentPage, decision: object): Promise<URL> {
    const decided = await this.ask("POST", `${page}/decision`, decision);
    assert.equal(decided.status, 200, decided.text);
    const response = await this.open(decided.data.continueAt);
    assert.equal(response.status, 303, await response.text());
    return new URL(response.headers.get("location") ?? "");
  }

  #cookies(): string {
    return [...this.#jar].map(([name, value]) => `${name}=${value}`).join("; ");
  }
}

/** Everything that a person does in the browser: opens the link, consents, goes back. */
export async function consent(
  service: Service,
  member: Member,
  address: string,
  scopes: readonly string[] = ["run", "read-private", "write"],
): Promise<URL> {
  const browser = new Browser(service, member);
  return browser.decide(await browser.begin(address), { scopes });
}

/** Posts a form. */
export async function post<P extends keyof FormAnswers>(
  service: Service,
  path: P,
  form: Record<string, string>,
): Promise<OAuthAnswer<FormAnswers[P]>> {
  const response = await service.fetch(path, {
    method: "POST",
    headers: { accept: "application/json" },
    body: new URLSearchParams(form),
  });
  const text = await response.text();
  return { status: response.status, json: text === "" ? null : JSON.parse(text) };
}

/** Exchanges a code. */
export function exchange(
  service: Service,
  client: ScriptedClient,
  code: string,
  verifier: string,
  more: Record<string, string> = {},
): Promise<OAuthAnswer<Tokens>> {
  return post(service, "/oauth/token", {
    grant_type: "authorization_code",
    client_id: client.clientId,
    redirect_uri: client.redirectUri,
    code,
    code_verifier: verifier,
    ...more,
  });
}

/** Uses a refresh token. */
export function refresh(
  service: Service,
  client: ScriptedClient,
  token: string,
): Promise<OAuthAnswer<Tokens>> {
  return post(service, "/oauth/token", {
    grant_type: "refresh_token",
    client_id: client.clientId,
    refresh_token: token,
  });
}

/** A whole sign-in; gives the tokens. */
export async function signInClient(
  service: Service,
  member: Member,
  client: ScriptedClient,
  options: { readonly scopes?: readonly string[]; readonly asked?: Readonly<Record<string, string>> } = {},
): Promise<Tokens> {
  const { verifier, challenge } = pkce();
  const query = authorizeQuery(client, challenge, {
    scope: "read-private run write handoff approve",
    ...options.asked,
  });
  const back = await consent(
    service,
    member,
    `${service.url}/oauth/authorize?${query.toString()}`,
    options.scopes,
  );
  const { status, json } = await exchange(service, client, back.searchParams.get("code") ?? "", verifier);
  assert.equal(status, 200, JSON.stringify(json));
  return json;
}

/** What calling a tool answered. */
interface Called {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** `ok` of the tool's answer. */
  readonly ok: Json | undefined;
}

/** Calls a protected tool with a token. */
export async function callWith(
  service: Pick<TestService, "rpc">,
  token: string,
  name = "create_workflow",
  args: unknown = { name: "made by a client" },
): Promise<Called> {
  const authorization = `Bearer ${token}`;
  const answer = await service.rpc("tools/call", { name, arguments: args }, { authorization });
  return { ...answer, ok: foundAt(answer.envelope, "ok") };
}
