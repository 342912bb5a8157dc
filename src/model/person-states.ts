/** The roles, from the most rights to the fewest. What each may do is the table in `src/access/people/roles.ts`. */
export const ROLES = ["owner", "admin", "editor", "operator", "approver", "viewer"] as const;

/** What a person may do. */
export type Role = (typeof ROLES)[number];

/** `invited`: has no way to sign in yet. `disabled`: may not sign in, and no session counts. */
export const PERSON_STATES = ["invited", "active", "disabled"] as const;

/** Whether a person can sign in. */
export type PersonState = (typeof PERSON_STATES)[number];

/** How a session began. */
export const SIGN_IN_METHODS = ["password", "recovery", "invitation", "passkey", "oidc"] as const;

/** How a person showed who they are. */
export type SignInMethod = (typeof SIGN_IN_METHODS)[number];

/** `owner` makes the first owner, `invite` lets an invited person in, `reset` sets a new password. */
export const INVITATION_KINDS = ["owner", "invite", "reset"] as const;

/** What a link does. */
export type InvitationKind = (typeof INVITATION_KINDS)[number];

/** `personal`: acts as the person who made it. `service`: acts as itself, as an API key does. */
export const TOKEN_KINDS = ["personal", "service"] as const;

/** Who a token acts as. */
export type TokenKind = (typeof TOKEN_KINDS)[number];

/** What a person may keep when a link sets a new password. */
export const KEEPABLE = ["sessions", "tokens", "clients", "passkeys"] as const;

/** One of these. */
export type KeepableAccess = (typeof KEEPABLE)[number];
