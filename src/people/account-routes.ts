import { ok } from "../kernel/envelope.ts";
import { AppError } from "../kernel/errors.ts";
import { newId } from "../kernel/ids.ts";
import type { JsonObject } from "../kernel/json.ts";
import type { CallingPerson } from "../ports/caller.ts";
import type { HttpAnswer, HttpRequest, HttpRoute } from "../ports/http.ts";
import type { PersonRecord } from "../ports/people.ts";
import type { Store } from "../ports/store.ts";
import { clearedCookie, PAGE_HEADER, sessionCookie } from "./cookie.ts";
import { BodyReader } from "./input.ts";
import { personView } from "./people.ts";
import type { Devices } from "./device.ts";
import type { Passkeys } from "./passkeys.ts";
import { scopesOf } from "./roles.ts";
import { sessionView, type Origin, type Sessions } from "./sessions.ts";
import { KEEPABLE, type SignIn, type SignInResult } from "./sign-in.ts";
import { isLinkToken } from "./tokens.ts";

const SESSIONS = "/api/svc/sessions";
const ACCOUNT = "/api/svc/account";
const LINKS = "/api/svc/invitations";
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/i;

/** What the account routes work with. */
export interface AccountRouteParts {
  readonly store: Store;
  readonly sessions: Sessions;
  readonly signIn: SignIn;
  readonly passkeys: Passkeys;
  readonly devices: Devices;
  readonly baseUrl: string;
}

const LINK_MEMBERS = ["token", "password", "passkey", "name", "email", "keep"];
const text: JsonObject = { type: "string" };

/** The paths with which people sign in and out, and manage what they sign in with. */
export function accountRoutes(parts: AccountRouteParts): readonly HttpRoute[] {
  return [...signInRoutes(parts), ...sessionRoutes(parts), ...ownAccountRoutes(parts)];
}

function signInRoutes({ signIn, passkeys, devices, baseUrl }: AccountRouteParts): readonly HttpRoute[] {
  return [
    {
      method: "POST",
      path: SESSIONS,
      summary: "Signs a person in with {email, password} or {email, recoveryCode}; the session is a cookie.",
      access: "public",
      status: 201,
      body: {
        type: "object",
        required: ["email"],
        properties: { email: text, password: text, recoveryCode: text },
      },
      async handle(request) {
        const body = new BodyReader(request.body, ["email", "password", "recoveryCode"]);
        const email = body.email();
        const member = body.raw("recoveryCode") === undefined ? "password" : "recoveryCode";
        const secret = body.typed(member);
        body.done();
        checkPage(request, baseUrl);
        const result =
          member === "password"
            ? await signIn.withPassword(email, secret, {
                ...originOf(request),
                knownPerson: await devices.personOf(request.headers["cookie"]),
              })
            : await signIn.withRecoveryCode(email, secret, originOf(request));
        return signedIn(result, devices);
      },
    },
    {
      method: "POST",
      path: `${LINKS}/look`,
      summary: "What a one-time link {token} is for: the first owner, an invitation or a new password.",
      access: "public",
      body: { type: "object", required: ["token"], properties: { token: text } },
      async handle(request) {
        const { kind, person } = await signIn.look(tokenOf(request.body), request.client);
        const shown = person === null ? null : { email: person.email, name: person.name, role: person.role };
        return { status: 200, body: ok({ kind, person: shown }) };
      },
    },
    {
      method: "POST",
      path: `${LINKS}/follow`,
      summary:
        "Follows a one-time link {token, password or passkey, name?, email?, keep?} and signs the person in. A new password ends sessions, tokens and connected clients that are not kept.",
      access: "public",
      status: 201,
      body: {
        type: "object",
        required: ["token"],
        properties: {
          token: text,
          password: text,
          passkey: { type: "object", description: "Instead of a password, made with the link's options." },
          name: text,
          email: text,
          keep: {
            type: "array",
            items: { type: "string", enum: [...KEEPABLE] },
            description: "With a link that sets a new password: what does not end. Nothing without it.",
          },
        },
      },
      async handle(request) {
        const token = tokenOf(request.body);
        const { kind, person } = await signIn.look(token, request.client);
        const body = new BodyReader(request.body, LINK_MEMBERS);
        const email = kind === "owner" ? body.email() : (person?.email ?? "");
        const name = kind === "owner" ? body.personName() : body.personName(true);
        const passkey = body.raw("passkey");
        const secret =
          passkey === undefined ? { password: body.newPassword("password", email) } : { passkey };
        const keep = body.someOf("keep", KEEPABLE);
        body.done();
        checkPage(request, baseUrl);
        const given = { email, name, keep, ...secret };
        return signedIn(await signIn.follow(token, given, originOf(request)), devices);
      },
    },
    {
      method: "POST",
      path: `${LINKS}/passkey-options`,
      summary: "What the browser needs to follow a one-time link {token, name?, email?} with a new passkey.",
      access: "public",
      body: { type: "object", required: ["token"], properties: { token: text, name: text, email: text } },
      async handle(request) {
        const token = tokenOf(request.body);
        const { kind, person } = await signIn.look(token, request.client);
        const body = new BodyReader(request.body, LINK_MEMBERS);
        const email = kind === "owner" ? body.email() : (person?.email ?? "");
        const name = (kind === "owner" ? body.personName() : body.personName(true)) ?? person?.name ?? email;
        body.done();
        const whom = { id: person?.id ?? newId("person"), email, name };
        return { status: 200, body: ok({ publicKey: await passkeys.creationOptions("join", whom) }) };
      },
    },
  ];
}

function sessionRoutes({ sessions, store }: AccountRouteParts): readonly HttpRoute[] {
  return [
    {
      method: "GET",
      path: SESSIONS,
      summary: "The signed-in person's sessions, newest first.",
      access: "person",
      async handle(request) {
        const { id, person } = self(request);
        const list = await sessions.list(id);
        return {
          status: 200,
          body: ok({ sessions: list.map((session) => sessionView(session, person.sessionId)) }),
        };
      },
    },
    {
      method: "DELETE",
      path: SESSIONS,
      summary: "Ends all sessions of the signed-in person but this one.",
      access: "person",
      async handle(request) {
        const { id, person } = self(request);
        const ended = await store.transact((tx) =>
          sessions.endAll(tx, id, person.sessionId, "signed out elsewhere", id),
        );
        return { status: 200, body: ok({ ended }) };
      },
    },
    {
      method: "DELETE",
      path: `${SESSIONS}/{id}`,
      summary: "Ends one session of the signed-in person; `current` is this one.",
      access: "person",
      async handle(request) {
        const { id, person } = self(request);
        const wanted = request.params["id"] ?? "";
        const sessionId = wanted === "current" ? person.sessionId : wanted;
        await sessions.revoke(id, sessionId, id);
        return {
          status: 200,
          ...(sessionId === person.sessionId && { headers: { "set-cookie": clearedCookie() } }),
          body: ok({ ended: 1 }),
        };
      },
    },
  ];
}

function ownAccountRoutes({ store, signIn }: AccountRouteParts): readonly HttpRoute[] {
  const load = async (request: HttpRequest): Promise<PersonRecord> => {
    const person = await store.read.people.get(self(request).id);
    if (person === null) throw new AppError("not_found", "The account does not exist any more.");
    return person;
  };
  return [
    {
      method: "GET",
      path: ACCOUNT,
      summary: "Who is signed in: the person with the scopes of the role; null without a session.",
      access: "mixed",
      async handle(request) {
        const { caller } = request.context;
        if (caller.kind !== "person") return { status: 200, body: ok({ person: null }) };
        const person = await load(request);
        return {
          status: 200,
          body: ok({
            person: personView(person),
            scopes: [...scopesOf(person.role)],
            recoveryCodesLeft: await store.read.people.countRecoveryCodes(person.id),
          }),
        };
      },
    },
    {
      method: "POST",
      path: `${ACCOUNT}/password`,
      summary: "Sets a new password {password, next} and ends every other session.",
      access: "person",
      body: { type: "object", required: ["next"], properties: { password: text, next: text } },
      async handle(request) {
        const person = await load(request);
        const body = new BodyReader(request.body, ["password", "next"]);
        const current = body.raw("password") === undefined ? null : body.typed("password");
        const next = body.newPassword("next", person.email);
        body.done();
        const { sessionId } = self(request).person;
        await signIn.setPassword(person, sessionId, current, next, originOf(request));
        return { status: 200, body: ok({ changed: true }) };
      },
    },
    {
      method: "POST",
      path: `${ACCOUNT}/recovery-codes`,
      summary: "Makes new recovery codes {password?} and shows them this once; those before stop working.",
      access: "person",
      status: 201,
      body: { type: "object", properties: { password: text } },
      async handle(request) {
        const person = await load(request);
        const body = new BodyReader(request.body, ["password"]);
        const password = body.raw("password") === undefined ? null : body.typed("password");
        body.done();
        const { sessionId } = self(request).person;
        const codes = await signIn.newCodes(person, sessionId, password, originOf(request));
        return { status: 201, body: ok({ codes }) };
      },
    },
  ];
}

/** The person of a request; the gateway lets nobody else reach a route of access `person`. */
export function self({ context: { caller } }: HttpRequest): Self {
  const sessionId = caller.person?.sessionId ?? null;
  if (caller.person === undefined || sessionId === null)
    throw new AppError("forbidden", "Only a signed-in person has an account.");
  return { id: caller.id, person: { ...caller.person, sessionId } };
}

/** A person with the session of the request. */
interface Self {
  readonly id: string;
  readonly person: CallingPerson & { readonly sessionId: string };
}

/** Where a request comes from. */
export function originOf({ headers, client }: HttpRequest): Origin {
  return { client: headers["user-agent"] ?? "", address: client };
}

function tokenOf(body: unknown): string {
  const token = new BodyReader(body, LINK_MEMBERS).raw("token");
  if (isLinkToken(token)) return token;
  throw new AppError("invalid_input", '"token" is not the secret of a link.', {
    problems: [
      { pointer: "/token", message: "is not the secret of a link", expected: "64 hexadecimal digits" },
    ],
  });
}

/** The answer to a sign-in: the session as a cookie. */
export async function signedIn({ person, session }: SignInResult, devices: Devices): Promise<HttpAnswer> {
  return {
    status: 201,
    headers: {
      "set-cookie": [sessionCookie(session.token, session.seconds), await devices.cookie(person.id)],
    },
    body: ok({ person: personView(person), session: sessionView(session.record, session.record.id) }),
  };
}

/** A session begins only in our own page, and only where browsers keep its cookie. */
export function checkPage(request: HttpRequest, baseUrl: string): void {
  if (request.headers[PAGE_HEADER] !== "1") {
    throw new AppError("forbidden", "Signing in needs the header X-Suite-Page: 1, which our own page sends.");
  }
  checkSecure(request, baseUrl);
}

/** Browsers keep the session cookie over https, and over http on this machine. */
export function checkSecure({ headers }: HttpRequest, baseUrl: string): void {
  if (new URL(baseUrl).protocol === "https:" || LOOPBACK.test(headers["host"] ?? "")) return;
  throw new AppError(
    "invalid_request",
    "Signing in needs https: browsers keep the session cookie over https or on this machine only.",
    {
      nextAction:
        "Put a proxy with TLS in front of the service and set BASE_URL to its https address, or open http://localhost.",
    },
  );
}
