/** A JSON-RPC method and who may call it. */
export interface MethodAccess {
  readonly method: string;
  readonly access: "public" | "mixed";
  readonly purpose: string;
}

/** The methods of the interface with their access. `tools/call` depends on the tool it names. */
export const METHODS: readonly MethodAccess[] = [
  { method: "initialize", access: "public", purpose: "handshake" },
  { method: "ping", access: "public", purpose: "liveness" },
  { method: "tools/list", access: "public", purpose: "list tools" },
  { method: "resources/list", access: "public", purpose: "list resources" },
  { method: "resources/read", access: "public", purpose: "read one resource by URI" },
  { method: "prompts/list", access: "public", purpose: "list prompts" },
  { method: "prompts/get", access: "public", purpose: "get one prompt with its arguments" },
  { method: "tools/call", access: "mixed", purpose: "call a tool" },
];

/** The two headers that carry a key. */
export const KEY_HEADERS = ["Authorization: Bearer <API_KEY>", "X-Suite-API-Key: <API_KEY>"] as const;

/** The rule for protected tools, as every document states it. */
export const PROTECTED_RULE =
  "tools/call of a protected tool needs an API key with the tool's scope, sent as Authorization: Bearer <API_KEY> or X-Suite-API-Key: <API_KEY>. Without one it is refused before anything runs.";
