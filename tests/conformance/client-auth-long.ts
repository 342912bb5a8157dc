import { testClientAuth } from "./client-auth.ts";

/* The scenarios of the coming suite take minutes: `npm run conformance` runs them, `npm test` does not. */
testClientAuth({ suite: "mcp-conformance-next", revision: "2026-07-28" });
