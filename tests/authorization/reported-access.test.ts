import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { at } from "../support/json.ts";
import { MISSING, rpc, statusOf } from "./asking.ts";
import { holds, startWorld, type Caller, type World } from "./callers.ts";

let world: World;
before(async () => {
  world = await startWorld();
});
after(() => world.close());

/** Whether a caller may do something, as the tool reports it. */
async function reportedAccess(target: string, action: string, caller: Caller) {
  const params = { name: "evaluate_agent_access", arguments: { target, action } };
  const { json } = await rpc(world, "tools/call", params, caller);
  return at(json, "result", "structuredContent", "data", "callerMay");
}

describe("evaluate_agent_access × callers", () => {
  it("says of each tool and route what the caller's request is answered with", async () => {
    const { catalog, site } = world.service.app.services;
    // Tokens differ from keys only in what `admin` covers; every other right is asked about with a key.
    const asking = world.callers.filter(
      ({ kind, name }) => kind !== "refused" && (kind !== "token" || name === "token with admin"),
    );
    for (const caller of asking) {
      for (const tool of catalog.tools) {
        const callerMay = await reportedAccess(tool.name, "call", caller);
        const may = tool.access === "public" || (caller.kind !== "none" && holds(caller, tool.access));
        assert.equal(callerMay, may, `${tool.name} × ${caller.name}`);
      }
      for (const { method, path: pattern, access } of site.routes) {
        if (pattern === "/api/mcp") continue;
        const path = pattern.replaceAll(/\{[^}]+\}/g, MISSING);
        const callerMay = await reportedAccess(path, method, caller);
        const status = await statusOf(world, method, path, caller);
        const where = `${method} ${pattern} × ${caller.name}: ${status}, reported ${JSON.stringify(callerMay)}`;
        if (callerMay === null) assert.equal(access, "mixed", where);
        // A stranger may render forms, read an import and list tools by POST: nothing says that it may not.
        else if (access === "mixed" && caller.kind === "none") assert.equal(callerMay, true, where);
        else assert.equal(status !== 401 && status !== 403, callerMay, where);
      }
    }
  });
});
