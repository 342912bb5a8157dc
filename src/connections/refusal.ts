import { AppError } from "../kernel/errors.ts";
import { theirWords } from "./http-answer.ts";
import type { ConnectionRecord } from "../ports/connections.ts";

/** The parts of an answer that tell of a refusal. */
export interface Answered {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** What it says about that, without what it repeats of the credential. */
  readonly words?: string;
}

/** What a 401, 403 or redirect of a server means and what to do about it; null for every other answer. */
export function refusedByServer(
  connection: ConnectionRecord,
  { status, headers, words = "" }: Answered,
): AppError | null {
  const { title, credential, name } = connection;
  if (status >= 300 && status < 400 && status !== 304) {
    return new AppError("conflict", `${title} answered ${status}, a redirect, which is not followed.`, {
      nextAction: "Give the connection the address that the server redirects to.",
      status,
    });
  }
  if (status !== 401 && status !== 403) return null;
  const wanted = wantedKind(headers["www-authenticate"] ?? "");
  const host = URL.parse(connection.url ?? connection.baseUrl ?? "")?.host ?? "its host";
  const upstream = words.trim() === "" ? {} : { upstream: theirWords(name, words) };
  const details = { wants: wanted.kind, credential, ...upstream };
  if (credential !== null) {
    return new AppError(
      "conflict",
      `${title} answered ${status}: it refuses the credential "${credential}"${wanted.text}.`,
      {
        nextAction: `Check that the credential is right for ${host} and allowed to do this; replace its secret, or sign in again where it is of kind oauth2.`,
        status,
        details,
      },
    );
  }
  return new AppError("conflict", `${title} answered ${status}: it wants credentials${wanted.text}.`, {
    nextAction: `Create a credential${wanted.kind === "unknown" ? "" : ` of kind ${wanted.kind}`} for ${host} (POST /api/svc/credentials) and name it as credential of the connection "${name}".`,
    status,
    details,
  });
}

/** The error of an MCP server that answers with any other status of failure. */
export function failedWith(
  connection: ConnectionRecord,
  { status, headers, words = "" }: Answered,
): AppError {
  const { title, name } = connection;
  const wanted = retryAfterSeconds(headers["retry-after"]);
  const code = status === 429 ? "rate_limited" : status < 500 && status !== 408 ? "conflict" : "unavailable";
  return new AppError(code, `${title} answered ${status}.`, {
    nextAction: "Read what the server answered (details.upstream), and check that it runs.",
    status,
    ...(wanted !== null && { retryAfterSeconds: wanted }),
    ...(words.trim() !== "" && { details: { upstream: theirWords(name, words) } }),
  });
}

/** What `Retry-After` asks for in seconds, given in them or as a date; null for what is neither. */
export function retryAfterSeconds(given: string | undefined): number | null {
  if (given === undefined) return null;
  const seconds = /^\s*\d+\s*$/.test(given)
    ? Number(given)
    : Math.ceil((Date.parse(given) - Date.now()) / 1_000);
  return Number.isFinite(seconds) ? Math.max(0, seconds) : null;
}

/** What `WWW-Authenticate` asks for, in the kinds of the vault. */
function wantedKind(challenge: string): { readonly kind: string; readonly text: string } {
  const scheme = /^\s*([A-Za-z][\w-]*)/.exec(challenge)?.[1]?.toLowerCase();
  if (scheme === "basic") return { kind: "basic", text: " (user name and password)" };
  if (scheme === "bearer" && challenge.includes("resource_metadata")) {
    return { kind: "oauth2", text: " (OAuth 2.1: it names its authorization server)" };
  }
  if (scheme === "bearer") return { kind: "bearer", text: " (a bearer token)" };
  return { kind: "unknown", text: "" };
}
