import { Type } from "typebox";
import { ok } from "../../kernel/envelope.ts";
import { AppError } from "../../kernel/errors.ts";
import { isObject } from "../../kernel/json.ts";
import { inputOf } from "../../model/common.ts";
import type { HttpAnswer } from "../../ports/http.ts";
import { operationsWith } from "../../ports/operations.ts";
import { checkSecure, originOf } from "./account-operations.ts";
import { sessionCookie } from "./cookie.ts";
import { OIDC_CALLBACK, OidcRefusal, type Oidc, type OidcFlow } from "./oidc.ts";
import type { AccountParts } from "./open.ts";

const FLOW_COOKIE = "__Host-suite-oidc";
const FLOW_SECONDS = 600;
const FLOW = /(?:^|; )__Host-suite-oidc=([\w-]{1,2000})(?:;|$)/;
const BEGIN = "/api/svc/sign-in/oidc";

const { operation, contentOperation, protocolOperation, declared } = operationsWith<AccountParts>();
const READ = { access: "public", effect: "none", idempotent: true } as const;
const location = Type.Object({
  ok: Type.Literal(true),
  data: Type.Object({ location: Type.String({ description: "Where the browser continues." }) }),
});
const isServed = ({ accounts: { oidc } }: AccountParts): boolean => oidc !== null;

operation({
  ...READ,
  name: "list_sign_in_ways",
  title: "List the ways to sign in",
  description:
    "The ways to sign in: passkey, password, recovery code, and the company's provider if there is one.",
  http: "GET /api/svc/sign-in",
  input: inputOf({}),
  output: Type.Object({
    passkey: Type.Literal(true),
    password: Type.Literal(true),
    recoveryCode: Type.Literal(true),
    oidc: Type.Union([Type.Object({ name: Type.String(), path: Type.String() }), Type.Null()]),
  }),
  run: (_input, _call, { accounts: { oidc } }) => ({
    passkey: true as const,
    password: true as const,
    recoveryCode: true as const,
    oidc: oidc && { name: oidc.name, path: BEGIN },
  }),
});

contentOperation({
  ...READ,
  name: "begin_company_sign_in",
  title: "Sign in at the company's provider",
  description: "Sends the browser to the company's sign-in.",
  http: `GET ${BEGIN}`,
  isServed,
  ignoresOthers: true,
  kind: "redirect",
  status: 303,
  contentType: "application/json",
  input: inputOf({
    to: Type.Optional(Type.String({ maxLength: 2_001, description: "The page to open afterwards." })),
  }),
  output: location,
  async answer({ to }, { request, services }, { accounts: { oidc } }) {
    checkSecure(request, services.settings.baseUrl);
    return explained(async () => {
      const { url, flow } = await configured(oidc).begin(ownPage(to));
      const value = Buffer.from(JSON.stringify(flow)).toString("base64url");
      // Lax, because the browser comes back from another site; it proves nothing but that this browser began.
      const cookie = `${FLOW_COOKIE}=${value}; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=${FLOW_SECONDS}`;
      return redirect(url, cookie);
    });
  },
});

protocolOperation({
  ...READ,
  name: "finish_company_sign_in",
  title: "Come back from the company's provider",
  description: "Where the company's sign-in sends the browser back to; signs the person in.",
  http: `GET ${OIDC_CALLBACK}`,
  isServed,
  status: 303,
  contentType: "application/json",
  input: inputOf({
    code: Type.Optional(Type.String({ description: "What the provider gave the browser." })),
    state: Type.Optional(Type.String({ description: "What the browser began with." })),
    iss: Type.Optional(Type.String({ description: "The provider that answers (RFC 9207)." })),
    error: Type.Optional(Type.String({ description: "Why the provider signed nobody in." })),
  }),
  output: location,
  handle: ({ request }, { accounts: { oidc, devices } }) =>
    explained(async () => {
      const flow = flowIn(request.headers["cookie"]);
      if (flow === null) throw new OidcRefusal("expired");
      const { person, session } = await configured(oidc).finish(request.query, flow, originOf(request));
      return redirect(ownPage(flow.to), [
        sessionCookie(session.token, session.seconds),
        await devices.cookie(person.id),
      ]);
    }),
});

/** How people sign in at a company's provider; without one only the list of ways is served. */
export const oidcOperations = declared;

function configured(oidc: Oidc | null): Oidc {
  if (oidc === null) throw new AppError("not_found", "This service has no company's provider.");
  return oidc;
}

/** A page of ours, never another site. */
function ownPage(to = "/"): string {
  return /^\/(?![/\\])[\x21-\x7e]{0,2000}$/.test(to) && !to.startsWith("/sign-in") ? to : "/";
}

function redirect(to: string, cookie?: string | readonly string[]): HttpAnswer {
  return {
    status: 303,
    headers: { location: to, ...(cookie !== undefined && { "set-cookie": cookie }) },
    body: ok({ location: to }),
  };
}

/** A person stands before the browser: a page says what happened instead of JSON. */
async function explained(work: () => Promise<HttpAnswer>): Promise<HttpAnswer> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof OidcRefusal)) throw error;
    return redirect(`/sign-in?problem=${error.problem}`);
  }
}

function flowIn(header: string | undefined): OidcFlow | null {
  const value = FLOW.exec(header ?? "")?.[1];
  if (value === undefined) return null;
  try {
    const flow: unknown = JSON.parse(Buffer.from(value, "base64url").toString("utf8"));
    if (!isObject(flow)) return null;
    const { state, nonce, verifier, to } = flow;
    const isWhole = [state, nonce, verifier, to].every((one) => typeof one === "string");
    return isWhole
      ? { state: String(state), nonce: String(nonce), verifier: String(verifier), to: String(to) }
      : null;
  } catch {
    return null;
  }
}
