import { walkServers } from "./mcp-servers-walk.ts";

/* The same over HTTP: npm run walk:servers. */

walkServers("stdio");
