/** The cookie of a session. The prefix makes browsers refuse it from other hosts and without Secure. */
export const SESSION_COOKIE = "__Host-suite-session";

/** What a page sends with every request: another site's page cannot without our consent. */
export const PAGE_HEADER = "x-suite-page";

const ATTRIBUTES = "Path=/; Secure; HttpOnly; SameSite=Strict";

/** Sets the cookie for a number of seconds. */
export function sessionCookie(token: string, seconds: number): string {
  return `${SESSION_COOKIE}=${token}; ${ATTRIBUTES}; Max-Age=${Math.max(1, Math.floor(seconds))}`;
}

/** Makes the browser forget the session. */
export function clearedCookie(): string {
  return `${SESSION_COOKIE}=; ${ATTRIBUTES}; Max-Age=0`;
}

/** The session token that a Cookie header carries, or null. */
export function tokenInCookie(header: string | undefined): string | null {
  if (header === undefined || !header.includes(SESSION_COOKIE)) return null;
  for (const part of header.split(";")) {
    const [name = "", value = ""] = part.trim().split("=");
    if (name === SESSION_COOKIE && value !== "") return value;
  }
  return null;
}
