import fc from "fast-check";
import { runToApproval, TEST_KEY, type TestService } from "../support/service.ts";
import { testPacket } from "../siblings/packets.ts";

/* Bodies for the REST routes that come close to what they take, so that more than the first check is reached. */

/** A request to a route: its address and the text of its body. */
export interface RestShot {
  readonly method: string;
  readonly path: string;
  readonly body: string;
}

/** Addresses that lead nowhere: a fuzzer must not call anybody. */
const ADDRESSES = [
  "http://127.0.0.1:1/openapi.json",
  "http://127.0.0.1:1/mcp",
  "https://[::1]:1/",
  "http://0x7f.1:1/",
  "ftp://127.0.0.1/",
  "http://user:pass@127.0.0.1:1/",
  "not an address",
  "",
];
const NAMES = ["petstore", "a", "mcp", "A b", "../x", "__proto__", "constructor", "x".repeat(40), ""];
const API = {
  openapi: "3.1.0",
  info: { title: "Pets", version: "1" },
  servers: [{ url: "http://127.0.0.1:1" }],
  paths: { "/pets/{id}": { get: { operationId: "getPet", responses: { 200: { description: "ok" } } } } },
};
const YAML = [
  "nodes: []\nedges: []",
  "a: &a [*a]",
  "a: [",
  "? {x: 1}\n: 2",
  "arazzo: 1.0.0\nworkflows: {}",
  "document: {dsl: 1.0.0}\ndo: [{a: {set: 1}}]",
  "%YAML 9.9\n---\n!!js/function 'x'",
];

/** Records for the routes to find: a published workflow with a run, a connection and a credential. */
export async function makeRecords(service: TestService): Promise<readonly string[]> {
  const post = async (path: string, body: unknown): Promise<void> => {
    const response = await service.fetch(path, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${TEST_KEY}` },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    if (response.status >= 300) throw new Error(`${path}: ${response.status} ${text}`);
  };
  const nodes = [{ id: "ask", type: "approval", approval: { title: "?", show: "?" } }];
  const { workflow } = await service.client.call("create_workflow", { name: "fuzz", nodes, edges: [] });
  await service.client.call("publish_workflow", { id: workflow.id });
  const run = await runToApproval(service, workflow.id);
  await post("/api/svc/connections", {
    name: "pets",
    kind: "openapi",
    document: API,
    allowPrivateOrigin: true,
  });
  await post("/api/svc/credentials", {
    name: "secret",
    kind: "bearer",
    hosts: ["pets.example"],
    token: "fuzz-token",
  });
  return [workflow.id, run.id, run.traceId, run.approvals[0].id, "pets", "getPet", "secret"].map(String);
}

/** Requests to every route, with ids and bodies that are likely, wrong and strange. */
export function restShots(
  routes: readonly { readonly method: string; readonly path: string }[],
  known: readonly string[],
  value: fc.Arbitrary<unknown>,
): fc.Arbitrary<RestShot> {
  const id = fc.oneof(
    fc.constantFrom(...known),
    fc.constantFrom("1", "0", "-1", "1e3", "wf_0000000000000000", "run_x", "%00", "%ff", "a%2Fb", "..", "é"),
    fc.constantFrom(...NAMES.filter((name) => name !== "").map(encodeURIComponent)),
    fc.string({ maxLength: 12 }).map(encoded),
  );
  const query = fc.oneof(
    { weight: 3, arbitrary: fc.constant("") },
    {
      weight: 1,
      arbitrary: fc
        .dictionary(
          fc.constantFrom("limit", "cursor", "from", "to", "workflowId", "state", "after", "code", "mode"),
          fc.oneof(fc.constantFrom("1", "-1", "1e9", "0x1", "", "é", "NaN"), fc.string({ maxLength: 10 })),
        )
        .map((members) => `?${new URLSearchParams(members).toString()}`),
    },
  );
  const body = fc.oneof(
    { weight: 2, arbitrary: close(CONNECTION, value) },
    { weight: 2, arbitrary: close(CREDENTIAL, value) },
    { weight: 2, arbitrary: close(RUN, value) },
    { weight: 2, arbitrary: close(HOOK, value) },
    {
      weight: 2,
      arbitrary: close({ text: YAML, format: ["yaml", "json", "x"], save: [true, false] }, value),
    },
    { weight: 2, arbitrary: packet(value) },
    { weight: 1, arbitrary: value },
  );
  return fc
    .tuple(
      fc.constantFrom(...routes.filter(({ path }) => !path.endsWith("/events") && path !== "/api/mcp")),
      fc.array(id, { minLength: 2, maxLength: 2 }),
      query,
      body,
      fc.oneof({ weight: 9, arbitrary: fc.constant(null) }, fc.constantFrom("PUT", "OPTIONS", "HEAD")),
    )
    .map(([route, ids, asked, content, other]) => {
      let next = 0;
      const path = route.path.replaceAll(/\{\w+\}/g, () => ids[next++] ?? "x");
      const method = other ?? route.method;
      const takesBody = method !== "GET" && method !== "HEAD";
      return { method, path: `${path}${asked}`, body: takesBody ? JSON.stringify(content) : "" };
    });
}

const CONNECTION = {
  name: NAMES,
  kind: ["mcp", "openapi", "http", "x"],
  title: ["Pets", "\u202Eevil"],
  url: ADDRESSES,
  baseUrl: ADDRESSES,
  document: [API, JSON.stringify(API), ...YAML, { swagger: "2.0", paths: {} }, null],
  command: ["/bin/true", "node", ["node"], { program: "node", args: [] }],
  args: [["--x"], [], "x"],
  env: [{ A: "b" }, { __proto__: null }],
  credential: NAMES,
  allowPrivateOrigin: [true, false, "http://127.0.0.1:1"],
  definition: ["getPet", "x"],
  digest: ["0".repeat(64), "x"],
  arguments: [{ id: 1 }, {}, []],
  dryRun: [true, false],
  method: ["GET", "POST", "TRACE", "x"],
  curl: ["curl http://127.0.0.1:1/ -H 'A: b'", "curl 'unclosed", "curl -d @/etc/passwd http://127.0.0.1:1"],
};
const CREDENTIAL = {
  name: NAMES,
  kind: ["bearer", "basic", "apiKey", "oauth2", "x"],
  hosts: [["127.0.0.1:1"], ["*"], [], ["http://x"], "x"],
  owner: ["shared", "own", ""],
  secret: [{ token: "t" }, { username: "u", password: "p" }, { value: "v" }, "s", {}],
  header: ["X-Key", "Host", "a b"],
  grant: ["authorization_code", "client_credentials", "x"],
  issuer: ADDRESSES,
  resource: ADDRESSES,
  scopes: [["a"], "a b", []],
  allowHttp: [true, false],
};
const RUN = {
  id: ["wf_0000000000000000", "x"],
  version: [1, 0, -1, 1.5, "draft", "1", 2 ** 53, null],
  inputs: [{}, { a: 1 }, [], null],
  idempotencyKey: ["k", "", "x".repeat(300)],
  stepId: ["a", "__proto__"],
  outcome: ["succeeded", "failed", "x"],
  outputs: [{}, { a: { $ref: "#" } }],
  reason: ["because", ""],
};
const HOOK = {
  url: ADDRESSES,
  types: [["svc.run.queued"], ["*"], [], "x"],
  name: NAMES,
  scopes: [["admin"], ["x"], []],
  expiresAt: ["2027-01-01T00:00:00Z", "yesterday", "+999999-01-01T00:00:00Z", null],
  sequence: [1, -1, 1e300],
};

/** An object with some of the members, each from its list or anything at all. */
function close(
  members: Readonly<Record<string, readonly unknown[]>>,
  value: fc.Arbitrary<unknown>,
): fc.Arbitrary<unknown> {
  const arbitraries = Object.entries(members).map(
    ([name, likely]) =>
      [
        name,
        fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...likely) }, { weight: 1, arbitrary: value }),
      ] as const,
  );
  return fc.record(Object.fromEntries(arbitraries), { requiredKeys: [] });
}

/** A handoff packet with one member that is something else. */
function packet(value: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  const sample = testPacket();
  return fc
    .tuple(fc.constantFrom(...Object.keys(sample), "payload", "result"), value, fc.boolean(), fc.nat())
    .map(([member, given, dryRun, n]) => ({
      ...sample,
      id: `delegation_svc_${n.toString(16).padStart(16, "0")}`,
      dryRun,
      [member]: given,
    }));
}

/** Percent-encoded as far as it can be: half a surrogate pair cannot. */
function encoded(text: string): string {
  return encodeURIComponent(text.toWellFormed()) || "x";
}
