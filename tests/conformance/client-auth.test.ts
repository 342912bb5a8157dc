import { testClientAuth } from "./client-auth.ts";

testClientAuth({ suite: "@modelcontextprotocol/conformance" });
