/** What a connection speaks. */
export const CONNECTION_KINDS = ["mcp", "openapi", "http"] as const;
/** The protocol of a connection. */
export type ConnectionKind = (typeof CONNECTION_KINDS)[number];

/** What was last observed of a connection. */
export const CONNECTION_STATES = ["unknown", "reachable", "failing", "syncing"] as const;

/** What calling a connected definition can change. */
export const CONNECTED_EFFECTS = ["read", "write", "destructive"] as const;

/** The states of a definition. */
export const DEFINITION_STATES = ["active", "quarantined", "hidden", "removed"] as const;
