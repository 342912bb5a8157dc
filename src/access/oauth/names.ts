const ROOT = "/oauth";
const MINUTE = 60;
const DAY = 24 * 60 * MINUTE;

/** The paths of the authorization server and of the pages that belong to it. */
export const PATHS = {
  root: ROOT,
  metadata: "/.well-known/oauth-authorization-server",
  authorize: `${ROOT}/authorize`,
  token: `${ROOT}/token`,
  register: `${ROOT}/register`,
  revoke: `${ROOT}/revoke`,
  deviceAuthorization: `${ROOT}/device`,
  /** The consent page; what it asks for lies below it, because the cookie that binds it to a browser has this path. */
  requests: `${ROOT}/requests`,
  devicePage: "/device",
} as const;

/** The cookies of one sign-in of a client. The provider's own session is never kept. */
export const COOKIES = {
  interaction: "suite-oauth-request",
  resume: "suite-oauth-resume",
  session: "suite-oauth-none",
} as const;

/** How long things count. */
export const LIFETIMES = {
  accessSeconds: 15 * MINUTE,
  codeSeconds: MINUTE,
  /** A refresh token that is not used for this long ends. */
  refreshSeconds: 30 * DAY,
  deviceSeconds: 10 * MINUTE,
  requestSeconds: 15 * MINUTE,
  /** After this long a person consents again. */
  grantSeconds: 90 * DAY,
  /** How far the clocks of two replicas may be apart. */
  toleranceSeconds: 15,
} as const;

/** The command line tool as a client: known without registration. */
export const SUITECTL = "suitectl";
