import { walkServers } from "./mcp-servers-walk.ts";

walkServers("HTTP");
