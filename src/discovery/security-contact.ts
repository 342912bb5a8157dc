import type { HttpRoute } from "../ports/http.ts";
import type { Settings } from "../ports/settings.ts";

const VALID_MS = 180 * 86_400_000;

/** Where to report a vulnerability of this instance (RFC 9116). Without a contact there is no such document to serve. */
export function securityRoutes({ securityContact, baseUrl }: Settings): readonly HttpRoute[] {
  if (securityContact === null) return [];
  const path = "/.well-known/security.txt";
  return [
    {
      method: "GET",
      path,
      summary: "Where to report a vulnerability.",
      access: "public",
      handle: () => ({
        status: 200,
        contentType: "text/plain; charset=utf-8",
        content: `Contact: ${securityContact}\nExpires: ${new Date(Date.now() + VALID_MS).toISOString()}\nCanonical: ${baseUrl}${path}\n`,
      }),
    },
  ];
}
