/** How a credential proves who is calling. */
export const CREDENTIAL_KINDS = ["bearer", "apiKey", "basic", "oauth2", "environment"] as const;

/** Where a request carries an API key. */
export const KEY_PLACES = ["header", "query", "cookie"] as const;

/** Who signs in with OAuth: a person, or the client itself. */
export const OAUTH_GRANTS = ["authorization_code", "client_credentials"] as const;

/** How an OAuth client proves who it is. */
export const CLIENT_AUTH = ["client_secret_basic", "client_secret_post", "private_key_jwt", "none"] as const;
