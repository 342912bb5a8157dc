import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { createClient, OperationError, readAnswer } from "../../packages/client/client.ts";
import { makeOwner } from "../people/support.ts";
import { startService, TEST_KEY, type TestService } from "../support/service.ts";
import { fuzzOperations } from "./fuzz.ts";

let service: TestService;
before(async () => {
  service = await startService();
});
after(() => service.close());

describe("operations", () => {
  it("refuse what their input does not allow with its pointer, and answer what they declare", async () => {
    const owner = await makeOwner(service);
    const seed = 20261118;
    const key = { authorization: `Bearer ${TEST_KEY}` };
    const { deviations, accepted, refused } = await fuzzOperations(service, {
      rounds: 1,
      seed,
      async headersOf({ access }) {
        if (access !== "person") return access === "public" ? {} : key;
        const { visitor, email } = owner;
        // An operation before may have ended the session: then this is refused, or names no person.
        if (!(await visitor.ask("GET", "/api/svc/account")).data?.person) await visitor.signIn(email);
        return visitor.headers;
      },
    });
    assert.deepEqual(deviations, [], `seed ${seed}`);
    assert.ok(accepted > 0 && refused > 0, `${accepted} accepted, ${refused} refused`);
  });

  it("are called by name with the typed client, whose errors carry every problem", async () => {
    const client = createClient({
      baseUrl: service.url,
      headers: () => ({ authorization: `Bearer ${TEST_KEY}` }),
    });
    const { key, token } = await client.call("create_key", { name: "typed", scopes: ["run"] });
    assert.equal(key.name, "typed");
    const own = createClient({ baseUrl: service.url, headers: () => ({ "x-suite-api-key": token }) });
    assert.deepEqual((await own.call("get_me", {})).me.scopes, ["run"]);
    const { keys } = await client.call("list_keys", { limit: 5 });
    assert.ok(keys.some(({ id }) => id === key.id));
    const error = await client
      .call("create_key", { name: "", scopes: [] })
      .catch((reason: unknown) => reason);
    assert.ok(error instanceof OperationError);
    assert.deepEqual([error.status, error.code], [400, "invalid_input"]);
    assert.deepEqual(error.problems.map(({ pointer }) => pointer).toSorted(), ["/name", "/scopes"]);
    assert.ok((await client.call("revoke_key", { id: key.id })).key.revokedAt !== null);
  });

  it("that did not happen say to the typed client whether they may have had their effect", () => {
    const data = { status: "degraded", reason: "The answer was cut off.", effect: "unknown" };
    const { refusal } = readAnswer(JSON.stringify({ ok: false, data }), 200);
    assert.deepEqual([refusal?.message, refusal?.effect], [data.reason, "unknown"]);
  });

  it("that are tools are called the same way, with the same problems", async () => {
    const client = createClient({
      baseUrl: service.url,
      headers: () => ({ authorization: `Bearer ${TEST_KEY}` }),
    });
    const { workflow, valid } = await client.call("create_workflow", { name: "Typed", nodes: [], edges: [] });
    assert.deepEqual([workflow.name, workflow.status, valid], ["Typed", "draft", false]);
    const page = await client.call("list_workflows", {}, { meta: { "svc/limit": 1 } });
    assert.deepEqual(
      page.workflows.map(({ id }) => id),
      [workflow.id],
    );
    const failing = async (work: Promise<unknown>): Promise<OperationError> => {
      const error = await work.catch((reason: unknown) => reason);
      assert.ok(error instanceof OperationError);
      return error;
    };
    const long = await failing(client.call("list_workflows", { limit: 101 }));
    const [problem] = long.problems;
    assert.deepEqual([long.code, problem?.pointer], ["invalid_arguments", "/limit"]);
    assert.ok(problem?.expected !== undefined && problem.given !== undefined && problem.fix !== undefined);
    assert.equal((await failing(client.call("get_workflow", { id: "workflow_none" }))).code, "not_found");
    const stranger = createClient({ baseUrl: service.url });
    const refused = await failing(stranger.call("create_workflow", { name: "No" }));
    assert.deepEqual([refused.status, refused.code], [401, "unauthorized"]);
  });
});
