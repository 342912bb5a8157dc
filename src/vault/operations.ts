import { Type } from "typebox";
import { AppError } from "../kernel/errors.ts";
import { inputOf, NEXT_CURSOR, PAGE_INPUT, Time } from "../model/common.ts";
import { CREDENTIAL_CHANGE, CredentialView, RotationView } from "../model/credentials.ts";
import type { HttpAnswer } from "../ports/http.ts";
import { operationsWith, pageIn } from "../ports/operations.ts";
import { NewCredential } from "./kinds.ts";
import { CALLBACK_PATH, CLIENT_PATH, SIGN_IN_PATH } from "./oauth-client.ts";
import { signInPage } from "./page.ts";
import type { Vault } from "./vault.ts";

const PAGE_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** What the operations of credentials work with. */
export interface VaultOperationParts {
  readonly vault: Vault;
}

const { operation, contentOperation } = operationsWith<VaultOperationParts>();
const ONE = Type.Object({ credential: CredentialView });
/** Everybody manages what is their own; the rest is for operators. */
const MANAGED = { all: ["admin"], except: { member: "owner", value: "me" } } as const;
const named = {
  name: Type.String({ description: "The name of the credential." }),
  owner: Type.Optional(
    Type.String({
      maxLength: 200,
      description:
        "shared, me, or the id of a caller; without it the caller's own, else the shared one. me needs no scope.",
    }),
  ),
};

const listCredentials = operation({
  name: "list_credentials",
  title: "List credentials",
  description: "Credentials without their secrets, by name.",
  http: "GET /api/svc/credentials",
  access: "admin",
  input: inputOf(PAGE_INPUT),
  output: Type.Object({ credentials: Type.Array(CredentialView), nextCursor: NEXT_CURSOR }),
  run: (input, _call, { vault }) => vault.list(pageIn(input)),
});

const createCredential = operation({
  name: "create_credential",
  title: "Store a credential",
  description: "Stores a credential; no answer ever holds its secret.",
  http: "POST /api/svc/credentials",
  access: "admin",
  effect: "write",
  idempotent: false,
  status: 201,
  input: NewCredential,
  output: ONE,
  examples: [{ name: "issues", kind: "bearer", hosts: ["api.example.com"], secret: "the-token" }],
  run: async (input, { caller }, { vault }) => ({ credential: await vault.create(input, caller) }),
});

const getCredential = operation({
  name: "get_credential",
  title: "Show a credential",
  description: "One credential without its secret.",
  http: "GET /api/svc/credentials/{name}",
  access: MANAGED,
  input: inputOf(named),
  output: ONE,
  run: async ({ name, owner = null }, { caller }, { vault }) => ({
    credential: await vault.get(name, owner, caller),
  }),
});

const updateCredential = operation({
  name: "update_credential",
  title: "Change a credential",
  description: "Replaces the secret or the hosts of a credential.",
  http: "PATCH /api/svc/credentials/{name}",
  access: MANAGED,
  effect: "write",
  idempotent: true,
  input: inputOf({ ...named, ...CREDENTIAL_CHANGE }),
  inQuery: ["owner"],
  output: ONE,
  run: async ({ name, owner = null, ...change }, { caller }, { vault }) => ({
    credential: await vault.change(name, owner, change, caller),
  }),
});

const removeCredential = operation({
  name: "remove_credential",
  title: "Remove a credential",
  description: "Removes a credential with its secret.",
  http: "DELETE /api/svc/credentials/{name}",
  access: MANAGED,
  effect: "destructive",
  idempotent: true,
  input: inputOf(named),
  output: Type.Object({ removed: Type.String() }),
  async run({ name, owner = null }, { caller }, { vault }) {
    await vault.remove(name, owner, caller);
    return { removed: name };
  },
});

const authorizeCredential = operation({
  name: "authorize_credential",
  title: "Begin the sign-in of a credential",
  description: "Begins the sign-in of an oauth2 credential: answers with the address that a person opens.",
  http: "POST /api/svc/credentials/{name}/authorize",
  access: MANAGED,
  effect: "external",
  idempotent: false,
  input: inputOf(named),
  inQuery: ["owner"],
  output: Type.Object({ authorizationUrl: Type.String(), expiresAt: Time }),
  run: ({ name, owner = null }, { caller, context }, { vault }) =>
    vault.beginSignIn(name, owner, caller, context.signal),
});

const rotateVault = operation({
  name: "rotate_master_key",
  title: "Rotate the master key",
  description: "Wraps every data key with the newest master key; a key file gets a new one first.",
  http: "POST /api/svc/vault/rotate",
  access: "admin",
  effect: "write",
  idempotent: false,
  input: inputOf({}),
  output: Type.Object({ rotation: RotationView }),
  run: async (_input, { caller }, { vault }) => ({ rotation: await vault.rotate(caller) }),
});

const showClientDocument = contentOperation({
  kind: "file",
  name: "get_oauth_client_document",
  title: "Show the client id metadata document",
  description: "The client id metadata document: who this service is to authorization servers.",
  http: `GET ${CLIENT_PATH}`,
  access: "public",
  effect: "none",
  contentType: "application/json",
  input: inputOf({}),
  output: Type.Object({
    client_id: Type.String(),
    client_name: Type.String(),
    client_uri: Type.String(),
    redirect_uris: Type.Array(Type.String()),
    grant_types: Type.Array(Type.String()),
    response_types: Type.Array(Type.String()),
    token_endpoint_auth_method: Type.String(),
    application_type: Type.String(),
  }),
  answer: (_input, _call, { vault }) => ({
    status: 200,
    headers: { "cache-control": "public, max-age=300" },
    contentType: "application/json; charset=utf-8",
    content: JSON.stringify(vault.oauth.clientMetadata()),
  }),
});

const beginSignIn = contentOperation({
  kind: "page",
  name: "show_credential_sign_in",
  title: "Show where the sign-in of a credential begins",
  description:
    "The page on which the sign-in of a credential begins: says which credential it is for, and binds it to this browser.",
  http: `GET ${SIGN_IN_PATH}/{ticket}`,
  access: "public",
  effect: "none",
  contentType: "text/html",
  input: inputOf({ ticket: Type.String({ description: "What the address of the page ends with." }) }),
  output: Type.String(),
  answer({ ticket }, { services: { settings, store } }, { vault }) {
    const { baseUrl } = settings;
    return explained(baseUrl, async () => {
      const { name, owner, startedBy, state, authorizationUrl } = await vault.lookAtSignIn(ticket);
      const called = async (id: string): Promise<string> => (await store.read.people.get(id))?.name ?? id;
      const whose = owner === "" ? "shared by everybody here" : `of ${await called(owner)}`;
      const text = `${await called(startedBy)} asks to sign the credential "${name}" in, which is ${whose}. Everybody who may use it then acts at ${new URL(authorizationUrl).host} as you.`;
      // Shows later that it is the same browser.
      const secure = baseUrl.startsWith("https:") ? "; Secure" : "";
      const cookie = `${cookieName(state)}=${ticket}; Path=${CALLBACK_PATH}; HttpOnly; SameSite=Lax; Max-Age=600${secure}`;
      const next = { href: authorizationUrl, text: "Continue to the sign-in" };
      const answer = page(200, signInPage("Sign in a credential", text, baseUrl, next));
      return { ...answer, headers: { ...answer.headers, "set-cookie": cookie } };
    });
  },
});

const finishSignIn = contentOperation({
  kind: "page",
  name: "finish_credential_sign_in",
  title: "End the sign-in of a credential",
  description: "Where an authorization server sends the browser back to. A failure is a page too.",
  http: `GET ${CALLBACK_PATH}`,
  access: "public",
  effect: "none",
  idempotent: false,
  contentType: "text/html",
  input: inputOf({
    state: Type.Optional(Type.String({ description: "What the request to the server carried." })),
    code: Type.Optional(Type.String({ description: "What the server gives for the token." })),
    iss: Type.Optional(Type.String({ description: "The server that answers." })),
    error: Type.Optional(Type.String({ description: "Why the server refused." })),
  }),
  ignoresOthers: true,
  output: Type.String(),
  answer({ state, code, iss, error }, { services, request, context }, { vault }) {
    const { baseUrl } = services.settings;
    const answer = {
      state: state ?? null,
      ticket: cookieOf(request.headers["cookie"], cookieName(state ?? "")),
      code: code ?? null,
      iss: iss ?? null,
      error: error ?? null,
    };
    return explained(baseUrl, async () => {
      const { name } = await vault.finishSignIn(answer, context.signal);
      const text = `The credential ${name} is ready. You can close this window.`;
      return page(200, signInPage("Signed in", text, baseUrl));
    });
  },
});

/** What operators do with credentials, and the pages of the OAuth client. */
export const vaultOperations = [
  listCredentials,
  createCredential,
  getCredential,
  updateCredential,
  removeCredential,
  authorizeCredential,
  rotateVault,
  showClientDocument,
  finishSignIn,
  beginSignIn,
];

function cookieName(state: string): string {
  return `suite-sign-in-${state.slice(0, 8)}`;
}

function cookieOf(header: string | undefined, name: string): string | null {
  const pairs = (header ?? "").split("; ").map((pair) => pair.split("="));
  return pairs.find(([one]) => one === name)?.[1] ?? null;
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
