import { isIP } from "node:net";
import { AppError } from "../../kernel/errors.ts";

/** The site that passkeys are bound to. */
export interface RelyingParty {
  readonly rpId: string;
  /** The origins from which a passkey of this site may be used. */
  readonly origins: readonly string[];
}

/** The site of BASE_URL. Browsers bind passkeys to names, so a loopback address counts as `localhost`. */
export function relyingParty(baseUrl: string): RelyingParty {
  const { hostname, origin, port, protocol } = new URL(baseUrl);
  const host = hostname.replace(/^\[|\]$/g, "");
  if (isIP(host) === 0) return { rpId: hostname, origins: [origin] };
  if (host.startsWith("127.") || host === "::1")
    return { rpId: "localhost", origins: [`${protocol}//localhost${port === "" ? "" : `:${port}`}`] };
  throw new AppError("conflict", "Passkeys need a name in BASE_URL; browsers bind them to no IP address.", {
    nextAction: "Set BASE_URL to an https address with a host name, or sign in with a password.",
  });
}
