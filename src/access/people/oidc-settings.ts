import { ROLES } from "../../ports/people.ts";
import type { OidcSettings } from "../../ports/settings.ts";

/** Reads the settings of a company's sign-in; `refusal` makes the error that names what is wrong with one. */
export function oidcSettings(
  value: (name: string) => string | undefined,
  refusal: (message: string) => Error,
): OidcSettings | null {
  const issuer = value("OIDC_ISSUER");
  const clientId = value("OIDC_CLIENT_ID");
  const clientSecret = value("OIDC_CLIENT_SECRET");
  if (issuer === undefined) {
    if (clientId === undefined && clientSecret === undefined) return null;
    throw refusal("OIDC_CLIENT_ID and OIDC_CLIENT_SECRET need OIDC_ISSUER.");
  }
  const url = URL.parse(issuer);
  if (url === null) throw refusal("OIDC_ISSUER must be an https URL.");
  const { protocol, hostname, host } = url;
  if (protocol !== "https:" && !/^(?:localhost|127\..*|\[::1\])$/.test(hostname))
    throw refusal("OIDC_ISSUER must be an https URL.");
  if (clientId === undefined || clientSecret === undefined)
    throw refusal("OIDC_ISSUER needs OIDC_CLIENT_ID and OIDC_CLIENT_SECRET.");
  const roles = (value("OIDC_ROLES") ?? "").split(",").filter((pair) => pair.trim() !== "");
  return {
    issuer,
    clientId,
    clientSecret,
    name: value("OIDC_NAME") ?? host,
    groupsClaim: value("OIDC_GROUPS_CLAIM") ?? "groups",
    roles: roles.map((pair) => {
      const cut = pair.lastIndexOf("=");
      const role = ROLES.find((one) => one !== "owner" && one === pair.slice(cut + 1).trim());
      if (cut < 1 || role === undefined) {
        throw refusal(
          `OIDC_ROLES has "${pair.trim()}"; write group=role with one of ${ROLES.slice(1).join(", ")}.`,
        );
      }
      return [pair.slice(0, cut).trim(), role] as const;
    }),
  };
}
