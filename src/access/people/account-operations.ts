import { Type } from "typebox";
import { AppError, problemAt, type Problem } from "../../kernel/errors.ts";
import { newId } from "../../kernel/ids.ts";
import { inputOf } from "../../model/common.ts";
import { ScopeName } from "../../model/keys.ts";
import {
  EmailInput,
  PasskeyAnswer,
  PasskeyOptions,
  PersonNameInput,
  PersonView,
  RoleName,
  SessionView,
  typedSecret,
} from "../../model/people.ts";
import { INVITATION_KINDS, KEEPABLE } from "../../model/person-states.ts";
import type { Caller } from "../../ports/caller.ts";
import type { RequestFacts } from "../../ports/http.ts";
import { operationsWith, Reply, type OperationCall } from "../../ports/operations.ts";
import type { PersonRecord } from "../../ports/people.ts";
import { clearedCookie, PAGE_HEADER, sessionCookie } from "./cookie.ts";
import type { Devices } from "./device.ts";
import { emailOf, emailProblems, nameOf, passwordProblems } from "./names.ts";
import type { AccountParts } from "./open.ts";
import { PASSWORD_LENGTH } from "./passwords.ts";
import { personView } from "./people.ts";
import { scopesOf } from "./roles.ts";
import { sessionView, type Origin } from "./sessions.ts";
import type { SignInResult } from "./sign-in.ts";

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/i;
const { operation, declared } = operationsWith<AccountParts>();
const PERSON = { access: "person", effect: "write", idempotent: false } as const;

const newPassword = Type.String({
  minLength: PASSWORD_LENGTH.min,
  maxLength: PASSWORD_LENGTH.max,
  writeOnly: true,
  description: `A new password of ${PASSWORD_LENGTH.min} to ${PASSWORD_LENGTH.max} characters, at least five of them different.`,
});
const token = Type.String({
  pattern: "^[0-9a-f]{64}$",
  writeOnly: true,
  examples: ["0".repeat(64)],
  description: "The secret of the link: 64 hexadecimal digits.",
});
const linkMembers = {
  token,
  name: Type.Optional(PersonNameInput),
  email: Type.Optional(EmailInput),
};
const ownPassword = Type.Optional(
  typedSecret(
    "The person's password; not needed shortly after signing in with a passkey or a recovery code.",
  ),
);

/** What a sign-in answers; the session itself is a cookie. */
export const SignedIn = Type.Object({ person: PersonView, session: SessionView });

operation({
  name: "sign_in",
  title: "Sign in",
  description: "Signs a person in with a password or a recovery code. The session is a cookie.",
  http: "POST /api/svc/sessions",
  access: "public",
  effect: "write",
  idempotent: false,
  status: 201,
  input: inputOf({
    email: EmailInput,
    password: Type.Optional(typedSecret("The person's password.")),
    recoveryCode: Type.Optional(typedSecret("One of the person's recovery codes, instead of the password.")),
  }),
  output: SignedIn,
  rules: ({ email, password, recoveryCode }) => [
    ...emailProblems(email),
    ...((password ?? recoveryCode) === undefined ? [problemAt("password", "given, or recoveryCode")] : []),
  ],
  async run({ email: given, password = "", recoveryCode }, { request, services }, { accounts }) {
    checkPage(request, services.settings.baseUrl);
    const { signIn, devices } = accounts;
    const email = emailOf(given);
    if (recoveryCode !== undefined)
      return signedIn(await signIn.withRecoveryCode(email, recoveryCode, originOf(request)), devices);
    const knownPerson = await devices.personOf(request.headers["cookie"]);
    return signedIn(
      await signIn.withPassword(email, password, { ...originOf(request), knownPerson }),
      devices,
    );
  },
});

operation({
  name: "look_at_link",
  title: "See what a one-time link is for",
  description: "What a one-time link is for: the first owner, an invitation or a new password.",
  http: "POST /api/svc/invitations/look",
  access: "public",
  effect: "none",
  input: inputOf({ token }),
  output: Type.Object({
    kind: Type.Enum([...INVITATION_KINDS], { description: "What the link does." }),
    person: Type.Union([
      Type.Object({ email: Type.String(), name: Type.String(), role: RoleName }),
      Type.Null(),
    ]),
  }),
  async run(input, { request }, { accounts: { signIn } }) {
    const { kind, person } = await signIn.look(input.token, request.client);
    return { kind, person: person && { email: person.email, name: person.name, role: person.role } };
  },
});

operation({
  name: "follow_link",
  title: "Follow a one-time link",
  description:
    "Follows a one-time link with a new password or passkey and signs the person in. A new password ends sessions, tokens and connected clients that are not kept.",
  http: "POST /api/svc/invitations/follow",
  access: "public",
  effect: "write",
  idempotent: false,
  status: 201,
  input: inputOf({
    ...linkMembers,
    password: Type.Optional(newPassword),
    passkey: Type.Optional(PasskeyAnswer),
    keep: Type.Optional(
      Type.Array(Type.Enum([...KEEPABLE]), {
        maxItems: KEEPABLE.length,
        description: "With a link that sets a new password: what does not end. Nothing without it.",
      }),
    ),
  }),
  output: SignedIn,
  async run(input, call, parts) {
    const { signIn, devices } = parts.accounts;
    const { email, name, problems } = await followed(input, call, parts);
    const { passkey, password, keep = [] } = input;
    if (passkey === undefined)
      problems.push(
        ...(password === undefined
          ? [problemAt("password", "a new password, or passkey")]
          : passwordProblems("password", password, email)),
      );
    refuse(problems);
    checkPage(call.request, call.services.settings.baseUrl);
    const secret = passkey === undefined ? { password: password ?? "" } : { passkey };
    const given = { email, name, keep, ...secret };
    return signedIn(await signIn.follow(input.token, given, originOf(call.request)), devices);
  },
});

operation({
  name: "get_link_passkey_options",
  title: "Begin a passkey for a one-time link",
  description: "What the browser needs to follow a one-time link with a new passkey.",
  http: "POST /api/svc/invitations/passkey-options",
  access: "public",
  effect: "write",
  idempotent: false,
  input: inputOf(linkMembers),
  output: Type.Object({ publicKey: PasskeyOptions }),
  async run(input, call, parts) {
    const { email, name, person, problems } = await followed(input, call, parts);
    refuse(problems);
    const whom = { id: person?.id ?? newId("person"), email, name: name ?? person?.name ?? email };
    return { publicKey: await parts.accounts.passkeys.creationOptions("join", whom) };
  },
});

operation({
  access: "person",
  name: "list_sessions",
  title: "List my sessions",
  description: "The signed-in person's sessions, newest first.",
  http: "GET /api/svc/sessions",
  input: inputOf({}),
  output: Type.Object({ sessions: Type.Array(SessionView) }),
  async run(_input, { caller }, { accounts: { sessions } }) {
    const { id, sessionId } = self(caller);
    return { sessions: (await sessions.list(id)).map((session) => sessionView(session, sessionId)) };
  },
});

const ended = Type.Object({ ended: Type.Integer({ description: "How many sessions ended." }) });

operation({
  ...PERSON,
  name: "end_other_sessions",
  title: "End my other sessions",
  description: "Ends all sessions of the signed-in person but this one.",
  http: "DELETE /api/svc/sessions",
  effect: "destructive",
  idempotent: true,
  input: inputOf({}),
  output: ended,
  async run(_input, { caller, services: { store } }, { accounts: { sessions } }) {
    const { id, sessionId } = self(caller);
    return {
      ended: await store.transact((tx) => sessions.endAll(tx, id, sessionId, "signed out elsewhere", id)),
    };
  },
});

operation({
  ...PERSON,
  name: "end_session",
  title: "End a session of mine",
  description: "Ends one session of the signed-in person; `current` is this one.",
  http: "DELETE /api/svc/sessions/{id}",
  effect: "destructive",
  idempotent: true,
  input: inputOf({ id: Type.String({ description: "The id of the session, or current." }) }),
  output: ended,
  async run(input, { caller }, { accounts: { sessions } }) {
    const { id, sessionId } = self(caller);
    const wanted = input.id === "current" ? sessionId : input.id;
    await sessions.revoke(id, wanted, id);
    return new Reply(
      { ended: 1 },
      wanted === sessionId ? { headers: { "set-cookie": clearedCookie() } } : {},
    );
  },
});

operation({
  name: "get_account",
  title: "Show my account",
  description: "Who is signed in: the person with the scopes of the role; null without a session.",
  http: "GET /api/svc/account",
  access: "mixed",
  input: inputOf({}),
  output: Type.Object({
    person: Type.Union([PersonView, Type.Null()]),
    scopes: Type.Optional(Type.Array(ScopeName)),
    recoveryCodesLeft: Type.Optional(Type.Integer()),
  }),
  async run(_input, call) {
    if (call.caller.kind !== "person") return { person: null };
    const person = await load(call);
    return {
      person: personView(person),
      scopes: [...scopesOf(person.role)],
      recoveryCodesLeft: await call.services.store.read.people.countRecoveryCodes(person.id),
    };
  },
});

operation({
  ...PERSON,
  name: "set_password",
  title: "Set my password",
  description: "Sets a new password and ends every other session.",
  http: "POST /api/svc/account/password",
  input: inputOf({ password: ownPassword, next: newPassword }),
  output: Type.Object({ changed: Type.Literal(true) }),
  async run({ password = null, next }, call, { accounts: { signIn } }) {
    const person = await load(call);
    refuse(passwordProblems("next", next, person.email));
    await signIn.setPassword(person, self(call.caller).sessionId, password, next, originOf(call.request));
    return { changed: true as const };
  },
});

operation({
  ...PERSON,
  name: "create_recovery_codes",
  title: "Create new recovery codes",
  description: "Makes new recovery codes and shows them this once; those before stop working.",
  http: "POST /api/svc/account/recovery-codes",
  status: 201,
  input: inputOf({ password: ownPassword }),
  output: Type.Object({ codes: Type.Array(Type.String()) }),
  async run({ password = null }, call, { accounts: { signIn } }) {
    const person = await load(call);
    const { sessionId } = self(call.caller);
    return { codes: await signIn.newCodes(person, sessionId, password, originOf(call.request)) };
  },
});

/** How people sign in and out, and manage what they sign in with. */
export const accountOperations = declared;

/** Whom a link is for: the first owner names an address and a name, everybody else has them. */
async function followed(
  given: { readonly token: string; readonly email?: string; readonly name?: string },
  { request }: OperationCall,
  { accounts: { signIn } }: AccountParts,
): Promise<{
  readonly email: string;
  readonly name: string | undefined;
  readonly person: PersonRecord | null;
  readonly problems: Problem[];
}> {
  const { kind, person } = await signIn.look(given.token, request.client);
  const name = given.name === undefined ? undefined : nameOf(given.name);
  if (kind !== "owner") return { email: person?.email ?? "", name, person, problems: [] };
  const problems = [
    ...emailProblems(given.email ?? ""),
    ...(name === undefined ? [problemAt("name", "a name of 1 to 100 characters")] : []),
  ];
  return { email: emailOf(given.email ?? ""), name, person, problems };
}

function refuse(problems: readonly Problem[]): void {
  if (problems.length === 0) return;
  throw new AppError("invalid_input", problems.map(({ message }) => message).join(" "), { problems });
}

/** The account of the person who calls. */
export async function load({ caller, services: { store } }: OperationCall): Promise<PersonRecord> {
  const person = await store.read.people.get(self(caller).id);
  if (person === null) throw new AppError("not_found", "The account does not exist any more.");
  return person;
}

/** The person who calls with the session of the request; nobody else reaches an operation of access `person`. */
export function self({ id, person }: Caller): { readonly id: string; readonly sessionId: string } {
  const sessionId = person?.sessionId ?? null;
  if (sessionId === null) throw new AppError("forbidden", "Only a signed-in person has an account.");
  return { id, sessionId };
}

/** Where a request comes from. */
export function originOf({ headers, client }: RequestFacts): Origin {
  return { client: headers["user-agent"] ?? "", address: client };
}

/** The answer to a sign-in: the session as a cookie. */
export async function signedIn({ person, session }: SignInResult, devices: Devices) {
  const cookies = [sessionCookie(session.token, session.seconds), await devices.cookie(person.id)];
  return new Reply(
    { person: personView(person), session: sessionView(session.record, session.record.id) },
    { headers: { "set-cookie": cookies } },
  );
}

/** A session begins only in our own page, and only where browsers keep its cookie. */
export function checkPage(request: RequestFacts, baseUrl: string): void {
  if (request.headers[PAGE_HEADER] !== "1") {
    throw new AppError("forbidden", "Signing in needs the header X-Suite-Page: 1, which our own page sends.");
  }
  checkSecure(request, baseUrl);
}

/** Browsers keep the session cookie over https, and over http on this machine. */
export function checkSecure({ headers }: RequestFacts, baseUrl: string): void {
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
