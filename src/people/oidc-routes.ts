import { ok } from "../kernel/envelope.ts";
import { isObject } from "../kernel/json.ts";
import type { HttpAnswer, HttpRoute } from "../ports/http.ts";
import { checkSecure, originOf } from "./account-routes.ts";
import { sessionCookie } from "./cookie.ts";
import type { Devices } from "./device.ts";
import { OIDC_CALLBACK, OidcRefusal, type Oidc, type OidcFlow } from "./oidc.ts";

const FLOW_COOKIE = "__Host-suite-oidc";
const FLOW_SECONDS = 600;
const FLOW = /(?:^|; )__Host-suite-oidc=([\w-]{1,2000})(?:;|$)/;

/** The paths of sign-in at a company's provider; without one only the list of ways is served. */
export function oidcRoutes(oidc: Oidc | null, devices: Devices, baseUrl: string): readonly HttpRoute[] {
  const ways: HttpRoute = {
    method: "GET",
    path: "/api/svc/sign-in",
    summary:
      "The ways to sign in: passkey, password, recovery code, and the company's provider if there is one.",
    access: "public",
    handle: () => ({
      status: 200,
      body: ok({
        passkey: true,
        password: true,
        recoveryCode: true,
        oidc: oidc === null ? null : { name: oidc.name, path: "/api/svc/sign-in/oidc" },
      }),
    }),
  };
  if (oidc === null) return [ways];
  return [
    ways,
    {
      method: "GET",
      path: "/api/svc/sign-in/oidc",
      summary: "Sends the browser to the company's sign-in; `to` is the page to open afterwards.",
      access: "public",
      async handle(request) {
        checkSecure(request, baseUrl);
        try {
          const { url, flow } = await oidc.begin(pageIn(request.query.get("to")));
          const value = Buffer.from(JSON.stringify(flow)).toString("base64url");
          // Lax, because the browser comes back from another site; it proves nothing but that this browser began.
          const cookie = `${FLOW_COOKIE}=${value}; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=${FLOW_SECONDS}`;
          return redirect(url, cookie);
        } catch (error) {
          return explained(error);
        }
      },
    },
    {
      method: "GET",
      path: OIDC_CALLBACK,
      summary: "Where the company's sign-in sends the browser back to; signs the person in.",
      access: "public",
      async handle(request) {
        const flow = flowIn(request.headers["cookie"]);
        if (flow === null) return explained(new OidcRefusal("expired"));
        try {
          const { person, session } = await oidc.finish(request.query, flow, originOf(request));
          return redirect(pageIn(flow.to), [
            sessionCookie(session.token, session.seconds),
            await devices.cookie(person.id),
          ]);
        } catch (error) {
          return explained(error);
        }
      },
    },
  ];
}

/** A page of ours, never another site. */
function pageIn(to: string | null): string {
  return to !== null && /^\/(?![/\\])[\x21-\x7e]{0,2000}$/.test(to) && !to.startsWith("/sign-in") ? to : "/";
}

function redirect(location: string, cookie?: string | readonly string[]): HttpAnswer {
  return {
    status: 303,
    headers: { location, ...(cookie !== undefined && { "set-cookie": cookie }) },
    body: ok({ location }),
  };
}

/** A person stands before the browser: a page says what happened instead of JSON. */
function explained(error: unknown): HttpAnswer {
  if (!(error instanceof OidcRefusal)) throw error;
  return redirect(`/sign-in?problem=${error.problem}`);
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
